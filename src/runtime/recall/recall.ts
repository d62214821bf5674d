// Recall inside an open session: the model's tool and /recall, over the same engine and the same log.

import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { Original } from "../../memory/recall/list.ts";
import type { Within } from "../../memory/recall/store/scope.ts";
import { findSession } from "../../session/find-session.ts";
import type { Conversation } from "../../session/session.ts";
import type { RecallItem, RecallRequest, RecallResult } from "../../tool/builtin/recall.ts";
import type { ResultPromise } from "../client/open.ts";
import type { RecallReply } from "../client/recall.ts";
import type { SessionIndex } from "../session/index.ts";
import type { ModelInForce } from "../session/model-in-force.ts";
import { sessionsIn } from "../store.ts";
import type { Workspace } from "../workspace.ts";
import {
  itemsOf,
  itemsText,
  type OriginalOutcome,
  parseWanted,
  turnRef,
  turnsAround,
  type Wanted,
} from "./original.ts";
import { allowedKinds, recallKinds, recallPlace, scopesOf, sessionsHere } from "./scope.ts";

/** The session that asks, and what it may look through. */
export type RecallAsker = {
  workspace: Workspace;
  main: Pick<Conversation, "id" | "state" | "publish">;
  index: SessionIndex;
  model: Pick<ModelInForce, "target">;
};

/** The tool's answer; whatever goes wrong is a refusal with its reason. */
export async function recallForModel(
  asker: RecallAsker,
  request: RecallRequest,
  signal?: AbortSignal,
): Promise<RecallResult> {
  const searchText = request.id ?? request.query;
  const wanted = searchText === undefined ? undefined : parseWanted(searchText);
  if (searchText !== undefined && wanted) return original(asker, searchText, wanted);
  const within = scopeFor(asker, request.scope ?? "auto");
  if (!within.ok) return { type: "refused", message: within.error };
  if (request.id !== undefined) return itemText(asker, request.id, within.value);
  if (request.around !== undefined) return around(asker, request.around, request.window);
  return searchResult(asker, request, within.value, signal);
}

async function original(asker: RecallAsker, query: string, wanted: Wanted): Promise<RecallResult> {
  const items = await originals(asker, wanted);
  return items.ok
    ? { type: "original", ref: query, text: itemsText(items.value) }
    : { type: "refused", message: `${items.error.what} ${items.error.next}` };
}

async function originals(asker: RecallAsker, wanted: Wanted): Promise<Result<OriginalOutcome[], Failure>> {
  const { workspace, main } = asker;
  const id = wanted.session ? await findInScope(asker, wanted.session) : ok(main.id);
  if (!id.ok) return id;
  const items = await itemsOf(workspace.paths, id.value, wanted);
  if (!items.ok || id.value === main.id) return items;
  return ok(items.value.map((item) => ({ ...item, text: workspace.redact(item.text) })));
}

/** Only what is in scope is looked through, so a session outside it is as unknown as one that never was. */
async function findInScope(asker: RecallAsker, wanted: string): Promise<Result<string, Failure>> {
  const db = await asker.index.reader();
  const all = asker.workspace.settings.values["history.scope"] === "all";
  const sessionIds = db ? sessionsIn(db, all ? {} : sessionsHere(asker.main.state.context)) : [];
  return findSession(wanted, [...new Set([asker.main.id, ...sessionIds.map((s) => s.id)])], async () => sessionIds);
}

function scopeFor(asker: RecallAsker, name: NonNullable<RecallRequest["scope"]>): Result<Within, string> {
  const { values } = asker.workspace.settings;
  const place = { ...recallPlace(asker.workspace, asker.main.state.context), session: asker.main.id };
  if (!values["memory.enabled"]) {
    if (name !== "auto" && name !== "session")
      return fail("Memory is off (memory.enabled), so only this session can be searched.");
    return ok({ scopes: [{ type: "session", session: asker.main.id }] });
  }
  const all = values["history.scope"] === "all";
  if (name === "all" && !all) return fail("The scope `all` needs the setting history.scope=all.");
  const scopes = scopesOf(name === "auto" && all ? "all" : name, place);
  return scopes.ok ? ok({ scopes: scopes.value }) : scopes;
}

async function itemOf(asker: RecallAsker, id: string, within: Within): Promise<Original | undefined> {
  const db = await asker.index.reader();
  const { itemById } = await import("../../memory/recall/list.ts");
  return db && itemById(db, within, id, recallKinds(asker.workspace));
}

async function itemText(asker: RecallAsker, id: string, within: Within): Promise<RecallResult> {
  const item = await itemOf(asker, id, within);
  if (item) return { type: "original", ref: id, text: item.text };
  return {
    type: "refused",
    message: `"${id}" is not a ref such as t3, t3.2 or SESSION:t3.2, nor the id of anything in scope.`,
  };
}

async function around(asker: RecallAsker, text: string, window: number | undefined): Promise<RecallResult> {
  const wanted = parseWanted(turnRef(text));
  if (!wanted || "checkpoint" in wanted)
    return { type: "refused", message: `"${text}" is not a turn's ref such as t12.` };
  return original(asker, text, turnsAround(wanted, window));
}

async function searchResult(
  asker: RecallAsker,
  request: RecallRequest,
  within: Within,
  signal?: AbortSignal,
): Promise<RecallResult> {
  const { ask } = await import("./query.ts");
  const { labelOf, periodOf, refOf, snippetText } = await import("./match-text.ts");
  const { searchedText } = await import("./searched.ts");
  const { parseTime } = await import("./time.ts");
  const bounds = { since: parseTime(request.since, "since"), before: parseTime(request.before, "before") };
  for (const name of ["since", "before"] as const)
    if (bounds[name] === null) return { type: "refused", message: `"${request[name]}" is not a date or time.` };
  const kinds = allowedKinds(asker.workspace, request.kinds);
  if (kinds.length === 0)
    return { type: "refused", message: "The settings keep everything of these kinds out of recall." };
  const limit = request.limit ?? asker.workspace.settings.values["recall.limit"];
  const start = performance.now();
  const recall = await asker.index.recall(asker.model.target.provider !== "offline");
  if (!recall) return { type: "refused", message: "The index of earlier conversations cannot be opened now." };
  const { withElsewhere } = await import("./elsewhere.ts");
  const question = {
    within,
    limit,
    kinds,
    ...(request.query === undefined ? {} : { text: request.query }),
    ...(request.order === undefined ? {} : { order: request.order }),
    ...(typeof bounds.since === "number" ? { since: bounds.since } : {}),
    ...(typeof bounds.before === "number" ? { before: bounds.before } : {}),
  };
  const answer = await withElsewhere(await ask(recall, question, signal), placeOf(asker), question, signal);
  if (!answer.ok) {
    asker.main.publish("soft_failure", { part: "recall", code: answer.error.code, message: answer.error.what });
    return { type: "refused", message: answer.error.what };
  }
  const db = await asker.index.reader();
  const { withStanding } = await import("./standing.ts");
  const standing = { session: asker.main.id, kinds: request.kinds };
  const page = db ? withStanding(db, asker.workspace, answer.value, standing) : answer.value;
  const { hits, more, partial, cursor, pinned = [] } = page;
  const durationMs = Math.round(performance.now() - start);
  const scope = request.scope ?? "auto";
  asker.main.publish("recall.completed", { caller: "agent", scope, results: hits.length, partial, durationMs });
  const items = hits.map(
    (h): RecallItem => ({
      ref: refOf(h, asker.main.id),
      kind: labelOf(h, "model"),
      ...(h.time === undefined ? {} : { time: h.kind === "fact" ? periodOf(h) : h.time }),
      text: snippetText(h),
    }),
  );
  const searched = searchedText(within, asker.main.id);
  const pins = pinned.map(({ text }) => text);
  return { type: "found", items, pinned: pins, more: more + (cursor === undefined ? 0 : 1), searched, partial };
}

const placeOf = ({ workspace, main }: RecallAsker) => ({ workspace, folder: main.state.context.cwd });

/** /recall. */
export async function recallIn(asker: RecallAsker, query: string): ResultPromise<RecallReply> {
  if (query.trim() === "") return nothingAsked;
  const wanted = parseWanted(query);
  if (wanted) {
    const items = await originals(asker, wanted);
    return items.ok ? ok({ type: "originals", items: items.value }) : items;
  }
  const within = scopeFor(asker, "auto");
  const recall = await asker.index.recall(false);
  const { ask, unavailable } = await import("./query.ts");
  if (!recall || !within.ok) return fail(unavailable("it cannot be opened"));
  const limit = asker.workspace.settings.values["recall.limit"];
  const kinds = recallKinds(asker.workspace);
  const item = await itemOf(asker, query.trim(), within.value);
  if (item) return ok({ type: "item", item });
  const { withElsewhere } = await import("./elsewhere.ts");
  const question = { text: query, within: within.value, limit, kinds };
  const answer = await withElsewhere(await ask(recall, question), placeOf(asker), question);
  if (!answer.ok) return answer;
  const { searchedText } = await import("./searched.ts");
  const db = await asker.index.reader();
  const { withStanding } = await import("./standing.ts");
  const page = db ? withStanding(db, asker.workspace, answer.value, { session: asker.main.id }) : answer.value;
  return ok({ type: "found", found: page, searched: searchedText(within.value, asker.main.id) });
}

const nothingAsked = fail<Failure>(
  refusal("usage", "Say what to look for.", "For example: /recall deploy script, or a ref such as /recall t3", 2),
);
