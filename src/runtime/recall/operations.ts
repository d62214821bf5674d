// Recall over HTTP on the gateway's own store: the command line's answers, with secrets filtered out of every text.

import { within } from "../../base/abort.ts";
import { errorText, type Failure, refusal } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { itemById } from "../../memory/recall/list.ts";
import { isDamage } from "../../memory/recall/store/damage.ts";
import type { ItemView, OpenRecall, RecallOperations, RecallPassage, RecallView } from "../../server/manage/recall.ts";
import type { HomeServices, OpenHomeServices } from "../gateway/home-services.ts";
import { catchUp } from "../store.ts";
import type { Workspace } from "../workspace.ts";
import { type Answer, answer, type RecallSources } from "./answer.ts";
import { withElsewhere } from "./elsewhere.ts";
import { forgetItems, itemsToForget } from "./forget.ts";
import { type OriginalOutcome, turnsAround, type Wanted } from "./original.ts";
import { ask, unavailable } from "./query.ts";
import { recallOff } from "./question.ts";
import { EVERYWHERE, recallKinds } from "./scope.ts";
import { type AnySession, aimedAt, namedSession, originalsOf } from "./session.ts";

/** Longer nobody waits for logs to be read; what is not indexed by then is told as skipped. */
export const CATCH_UP_MS = 5_000;
const STATS_MS = 10_000;

export function openRecallOperations(workspace: Workspace, open: OpenHomeServices): OpenRecall {
  const operationsByServices = new WeakMap<HomeServices, RecallOperations>();
  return async () => {
    const services = await open();
    if (!services.ok) return services;
    const operations = operationsByServices.get(services.value) ?? operationsOf(workspace, services.value);
    operationsByServices.set(services.value, operations);
    return ok(operations);
  };
}

function operationsOf(workspace: Workspace, { store, db, recall }: HomeServices): RecallOperations {
  const { paths, indexing, settings, redact } = workspace;
  const enabled = settings.values["recall.enabled"];
  const readLogs = shared(() => soft(catchUp(db, paths, indexing, () => undefined)));
  const sessions = { db, paths, store };
  const passages = (items: readonly OriginalOutcome[]): RecallPassage[] =>
    items.map((item) => ({ ...item, text: redact(item.text) }));
  const turnsOf = async (session: AnySession, wanted: Wanted): Promise<Result<RecallPassage[], Failure>> => {
    const originals = await originalsOf(sessions, session, wanted);
    return originals.ok ? ok(passages(originals.value)) : originals;
  };

  const itemOf = async (id: string, around: number | undefined): Promise<Result<ItemView, Failure>> => {
    const aimed = await aimedAt(sessions, id);
    if (!aimed.ok) return aimed;
    if (aimed.value?.session) return originalAt(aimed.value.session, aimed.value.wanted, around);
    if (!enabled) return recallOff;
    const item = itemById(db, EVERYWHERE, id, recallKinds(workspace));
    if (!item) return fail(unknown(id));
    const { session, turn } = item.source;
    if (around === undefined || session === undefined || turn === undefined) return ok({ item });
    const of = await namedSession(sessions, session);
    const near = of.ok ? await turnsOf(of.value, turnsAround({ from: turn, to: turn }, around)) : of;
    return near.ok ? ok({ item, around: near.value }) : near;
  };

  const originalAt = async (
    session: AnySession,
    wanted: Wanted,
    around: number | undefined,
  ): Promise<Result<ItemView, Failure>> => {
    const turns = await turnsOf(session, wanted);
    if (!turns.ok) return turns;
    const [only, another] = turns.value;
    if (!only || another) return fail(severalItems);
    const near = around === undefined ? undefined : await turnsOf(session, turnsAround(wanted, around));
    if (near && !near.ok) return near;
    return ok({ item: { ...only, session: session.id }, ...optional("around", near?.value) });
  };

  return {
    async ask({ query = "", ...question }, signal) {
      const read = await within(readLogs(), CATCH_UP_MS, signal);
      if (read.type === "value" && !read.value.ok && read.value.error.code !== "store_unavailable") return read.value;
      const here = { workspace, folder: workspace.context.cwd };
      const search: RecallSources["search"] = async (filters) =>
        withElsewhere(await ask(recall, filters, signal), here, filters, signal);
      const sources: RecallSources = { ...sessions, workspace, search };
      const reply = await soft(answer(sources, query, question));
      return reply.ok ? ok(viewOf(reply.value, passages, read.type === "value")) : reply;
    },
    item: (id, around) => soft(itemOf(id, around)),
    async injected(question, signal) {
      await within(readLogs(), CATCH_UP_MS, signal);
      const { previewInjection } = await import("./preview.ts");
      return soft(previewInjection(workspace, { db, recall }, question, signal));
    },

    async forget(choice) {
      const items = await soft(itemsToForget(sessions, choice));
      return items.ok ? soft(forgetItems(db, workspace, items.value)) : items;
    },

    async stats() {
      const stats = await recall.stats({ timeoutMs: STATS_MS });
      return stats.ok ? ok({ enabled, ...stats.value }) : fail(unavailable(stats.error.message));
    },
  };
}

/** A damaged index fails softly: the next search has it rebuilt. */
export async function soft<T>(work: Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
  try {
    return await work;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return fail(unavailable(errorText(error)));
  }
}

function viewOf(
  reply: Answer,
  passagesOf: (items: readonly OriginalOutcome[]) => RecallPassage[],
  whole: boolean,
): RecallView {
  if (reply.type === "item") return reply.item;
  if (reply.type === "originals") return { session: reply.session, items: passagesOf(reply.items) };
  const { hits: results, partial, skipped, ...rest } = reply.found;
  const late = whole ? [] : ["sessions not indexed yet"];
  return { scope: reply.scope, results, ...rest, partial: partial || !whole, skipped: [...skipped, ...late] };
}

/** One run at a time. Who comes while one goes on waits for the next: what was said before the question is found. */
export function shared<T>(work: () => Promise<Result<T, Failure>>): () => Promise<Result<T, Failure>> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<Result<T, Failure>> | undefined;
  const run = (): Promise<Result<T, Failure>> => {
    next = undefined;
    return work();
  };
  return () => {
    if (next) return next;
    next = last.then(run, run);
    last = next;
    return next;
  };
}

const unknown = (id: string): Failure =>
  refusal(
    "no_such_item",
    `Item not found: ${id.slice(0, 120)}.`,
    "An id comes from a search; a ref of one item is SESSION:tN.k.",
  );

const severalItems: Failure = refusal(
  "invalid_inputs",
  "That ref names more than one item.",
  "Name one, as in SESSION:t3.2. For a whole turn, POST /api/recall with the ref as the query.",
  2,
);
