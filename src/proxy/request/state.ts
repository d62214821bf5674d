// What headers and files say about a session's state: TODO and spec mode are taken from headers, the block from files.
import type { Headers, HistoryItem, ScannedBody } from "../contract.ts";
import { appendEvent } from "../remember/events.ts";
import { filtered } from "../services.ts";
import { headText, stateBlock, stateParts } from "../state/block.ts";
import { writeStateFile } from "../state/files.ts";
import { changeSpec, readSpec, specAsked, specText, writeSpec } from "../state/spec.ts";
import type { ProxySession } from "../store/session.ts";
import { type PlanContext, tellFault } from "./context.ts";

/** Before the request is planned. `todo` is undefined when no header came. */
export async function takeHeaders(
  context: PlanContext,
  session: ProxySession,
  headers: Headers,
  todo: string | undefined,
): Promise<void> {
  const { settings, clock } = context;
  if (todo !== undefined && settings.todo.enabled) {
    const clean = filtered(context, todo);
    const written = clean === undefined ? undefined : await writeStateFile(session.path, "todo", clean);
    if (!written) context.emit({ type: "proxy.soft_failure", data: { part: "state", code: "filter_failed" } });
    else if (!written.ok) tellFault(context, "state", written.error);
  }
  const change = specAsked(headers);
  if (change.mode === undefined && change.approved === undefined) return;
  const now = await readSpec(session.path);
  const changed = changeSpec(now.ok ? now.value : undefined, change, { time: clock.now(), way: "header" });
  if (!changed) return;
  const written = await writeSpec(session.path, changed);
  if (!written.ok) return tellFault(context, "state", written.error);
  const text = filtered(context, JSON.stringify(changed));
  if (text !== undefined) await appendEvent(context.store, session, { kind: "spec", text });
}

/** The block as it stands now, empty when every part is; undefined when none is wanted. */
export async function stateOf(
  context: PlanContext,
  session: ProxySession,
  body: ScannedBody,
  items: readonly HistoryItem[],
): Promise<string | undefined> {
  const { settings, files, emit } = context;
  if (!settings.state.enabled) return undefined;
  const read = await files.read(session.path, settings.rootDir);
  for (const message of read.warnings) emit({ type: "proxy.soft_failure", data: { part: "state", message } });
  const spec = await readSpec(session.path);
  const parts = stateParts(read, {
    spec: specText(spec.ok ? spec.value : undefined, settings.specMode),
    todoEnabled: settings.todo.enabled,
    known: headText(body, items),
  });
  // Sent blocks are kept with the lane, and files may have been written by hand.
  return filtered(context, stateBlock(parts, { tag: settings.state.tag, todoMaxChars: settings.todo.maxChars }));
}
