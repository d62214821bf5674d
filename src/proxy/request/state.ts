// What headers and files say about a session's state: TODO and spec mode are taken from headers, the block from files.
import { ok, type Result } from "../../base/result.ts";
import { type Fault, isPassing } from "../../store/fault.ts";
import type { Headers, HistoryItem, ScannedBody } from "../contract.ts";
import { appendEvent } from "../remember/events.ts";
import { filtered } from "../services.ts";
import { headText, stateBlock, stateParts } from "../state/block.ts";
import { storedText } from "../state/files.ts";
import { changeSpec, specAsked, specText } from "../state/spec.ts";
import { parseSpec, type Spec, specLine } from "../state/spec-file.ts";
import type { ProxySession } from "../store/session.ts";
import { type PlanContext, tellFault } from "./context.ts";

/**
 * Before the request is planned. `todo` is undefined when no header came. Gives the fault of a store that could not take
 * them now: the request must not go on as if it had.
 */
export async function takeHeaders(
  context: PlanContext,
  session: ProxySession,
  headers: Headers,
  todo: string | undefined,
): Promise<Fault | undefined> {
  const { settings, clock, store } = context;
  if (todo !== undefined && settings.todo.enabled) {
    const clean = filtered(context, todo);
    const written =
      clean === undefined
        ? undefined
        : await store.files.change(session, "todo", () => storedText(clean, session.path));
    if (!written) context.emit({ type: "proxy.soft_failure", data: { part: "state", code: "filter_failed" } });
    else if (!written.ok && isPassing(written.error)) return written.error;
    else if (!written.ok) tellFault(context, "state", written.error);
  }
  const wanted = specAsked(headers);
  if (wanted.mode === undefined && wanted.approved === undefined) return undefined;
  let changed: Spec | undefined;
  const written = await store.files.change<Fault>(session, "spec", (text) => {
    changed = changeSpec(parseSpec(text), wanted, { time: clock.now(), way: "header" });
    return ok(changed ? specLine(changed) : text);
  });
  if (!written.ok && isPassing(written.error)) return written.error;
  if (!written.ok) tellFault(context, "state", written.error);
  const text = written.ok && changed ? filtered(context, JSON.stringify(changed)) : undefined;
  if (text !== undefined) await appendEvent(store, session, { kind: "spec", text });
  return undefined;
}

/** The block as it stands now, empty when every part is; undefined when none is wanted. */
export async function stateOf(
  context: PlanContext,
  session: ProxySession,
  body: ScannedBody,
  items: readonly HistoryItem[],
): Promise<Result<string | undefined, Fault>> {
  const { settings, store, emit } = context;
  if (!settings.state.enabled) return ok(undefined);
  const read = await store.files.texts(session, settings.rootDir);
  if (!read.ok) return read;
  for (const message of read.value.warnings) emit({ type: "proxy.soft_failure", data: { part: "state", message } });
  const parts = stateParts(read.value, {
    spec: specText(read.value.spec, settings.specMode),
    todoEnabled: settings.todo.enabled,
    known: headText(body, items),
  });
  // Sent blocks are kept with the lane, and files may have been written by hand.
  return ok(filtered(context, stateBlock(parts, { tag: settings.state.tag, todoMaxChars: settings.todo.maxChars })));
}
