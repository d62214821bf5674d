// Recall inside an open session: the model's tool and /recall, over the same engine and the same log.
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { Within } from "../../memory/recall/store/scope.ts";
import { findSession } from "../../session/find-session.ts";
import type { RecallAnswer, RecallItem, RecallRequest } from "../../tool/builtin/recall.ts";
import type { CommandResult } from "../client.ts";
import type { LiveSession } from "../session/live-session.ts";
import { sessionsIn } from "../store.ts";
import { itemsOf, itemsText, parseWanted, turnRef, turnsAround, type Wanted } from "./original.ts";
import { allowedKinds, recallKinds, recallPlace, scopesOf, sessionsHere } from "./scope.ts";

/** The tool's answer; whatever goes wrong is a refusal with its reason. */
export async function recallForModel(
  live: LiveSession,
  request: RecallRequest,
  signal?: AbortSignal,
): Promise<RecallAnswer> {
  const asked = request.id ?? request.query;
  const wanted = asked === undefined ? undefined : parseWanted(asked);
  if (asked !== undefined && wanted) return original(live, asked, wanted);
  const within = scopeFor(live, request.scope ?? "auto");
  if (!within.ok) return { type: "refused", message: within.error };
  if (request.id !== undefined) return itemText(live, request.id, within.value);
  if (request.around !== undefined) return around(live, request.around, request.window);
  return found(live, request, within.value, signal);
}

async function original(live: LiveSession, asked: string, wanted: Wanted): Promise<RecallAnswer> {
  const items = await originals(live, wanted);
  return items.ok
    ? { type: "original", ref: asked, text: items.value }
    : { type: "refused", message: `${items.error.what} ${items.error.next}` };
}

async function originals(live: LiveSession, wanted: Wanted): Promise<Result<string, Failure>> {
  const { ground, session } = live;
  const id = wanted.session ? await findInScope(live, wanted.session) : ok(session.id);
  if (!id.ok) return id;
  const items = await itemsOf(ground.paths, id.value, wanted);
  if (!items.ok) return items;
  const text = itemsText(items.value);
  return ok(id.value === session.id ? text : ground.redact(text));
}

/** Only what is in scope is looked through, so a session outside it is as unknown as one that never was. */
async function findInScope(live: LiveSession, wanted: string): Promise<Result<string, Failure>> {
  const db = await live.index.reader();
  const all = live.ground.settings.values["history.scope"] === "all";
  const found = db ? sessionsIn(db, all ? {} : sessionsHere(live.session.state.context)) : [];
  return findSession(wanted, [...new Set([live.session.id, ...found.map((s) => s.id)])], async () => found);
}

function scopeFor(live: LiveSession, name: NonNullable<RecallRequest["scope"]>): Result<Within, string> {
  const { values } = live.ground.settings;
  const place = { ...recallPlace(live.ground, live.session.state.context), session: live.session.id };
  if (!values["memory.enabled"]) {
    if (name !== "auto" && name !== "session")
      return fail("Memory is off (memory.enabled), so only this session can be searched.");
    return ok({ scopes: [{ type: "session", session: live.session.id }] });
  }
  const all = values["history.scope"] === "all";
  if (name === "all" && !all) return fail("The scope `all` needs the setting history.scope=all.");
  const scopes = scopesOf(name === "auto" && all ? "all" : name, place);
  return scopes.ok ? ok({ scopes: scopes.value }) : scopes;
}

async function itemText(live: LiveSession, id: string, within: Within): Promise<RecallAnswer> {
  const db = await live.index.reader();
  const { itemById } = await import("../../memory/recall/list.ts");
  const item = db && itemById(db, within, id, recallKinds(live.ground));
  if (item) return { type: "original", ref: id, text: item.text };
  return {
    type: "refused",
    message: `"${id}" is not a ref such as t3, t3.2 or SESSION:t3.2, nor the id of anything in scope.`,
  };
}

async function around(live: LiveSession, text: string, window: number | undefined): Promise<RecallAnswer> {
  const wanted = parseWanted(turnRef(text));
  if (!wanted || "checkpoint" in wanted)
    return { type: "refused", message: `"${text}" is not a turn's ref such as t12.` };
  return original(live, text, turnsAround(wanted, window));
}

async function found(
  live: LiveSession,
  request: RecallRequest,
  within: Within,
  signal?: AbortSignal,
): Promise<RecallAnswer> {
  const { ask, labelOf, refOf, snippetText } = await import("./query.ts");
  const { searchedText } = await import("./searched.ts");
  const { parseTime } = await import("./time.ts");
  const bounds = { since: parseTime(request.since, "since"), before: parseTime(request.before, "before") };
  for (const [name, time] of Object.entries(bounds))
    if (time === null) return { type: "refused", message: `"${name}" is not a date or time.` };
  const kinds = allowedKinds(live.ground, request.kinds);
  if (kinds.length === 0)
    return { type: "refused", message: "The settings keep everything of these kinds out of recall." };
  const limit = request.limit ?? live.ground.settings.values["recall.limit"];
  const start = performance.now();
  const recall = await live.index.recall(live.target.provider !== "offline");
  if (!recall) return { type: "refused", message: "The index of earlier conversations cannot be opened now." };
  const answer = await ask(
    recall,
    {
      within,
      limit,
      kinds,
      ...(request.query === undefined ? {} : { text: request.query }),
      ...(request.order === undefined ? {} : { order: request.order }),
      ...(typeof bounds.since === "number" ? { since: bounds.since } : {}),
      ...(typeof bounds.before === "number" ? { before: bounds.before } : {}),
    },
    signal,
  );
  if (!answer.ok) {
    live.session.publish("soft_failure", { part: "recall", code: answer.error.code, message: answer.error.what });
    return { type: "refused", message: answer.error.what };
  }
  const { hits, more, partial, cursor } = answer.value;
  const durationMs = Math.round(performance.now() - start);
  const scope = request.scope ?? "auto";
  live.session.publish("recall.completed", { caller: "agent", scope, results: hits.length, partial, durationMs });
  const items = hits.map(
    (h): RecallItem => ({
      ref: refOf(h, live.session.id),
      kind: labelOf(h),
      ...(h.time === undefined ? {} : { time: h.time }),
      text: snippetText(h),
    }),
  );
  const searched = searchedText(within);
  return { type: "found", items, more: more + (cursor === undefined ? 0 : 1), searched, partial };
}

/** /recall. */
export async function recallIn(live: LiveSession, query: string): Promise<CommandResult> {
  const wanted = parseWanted(query);
  if (wanted) return originals(live, wanted);
  const within = scopeFor(live, "auto");
  const recall = await live.index.recall(false);
  const { ask, foundText, unavailable } = await import("./query.ts");
  if (!recall || !within.ok) return fail(unavailable("it cannot be opened"));
  const limit = live.ground.settings.values["recall.limit"];
  const kinds = recallKinds(live.ground);
  const item = await itemText(live, query.trim(), within.value);
  if (item.type === "original") return ok(item.text);
  const answer = await ask(recall, { text: query, within: within.value, limit, kinds });
  if (!answer.ok) return answer;
  const { searchedText } = await import("./searched.ts");
  return ok(foundText(answer.value, { searched: searchedText(within.value), command: "/" }));
}
