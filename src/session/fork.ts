// Forking: a new session whose log begins with its own start and then holds the chain of the old one, event by event.
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { errorText, type Failure } from "../base/failure.ts";
import { newId } from "../base/id.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { HomePaths, SessionPaths } from "../host/paths.ts";
import type { DurableEnvelope, Envelope } from "../schema/event/envelope.ts";
import { type AppendLog, openLog } from "../store/append-log.ts";
import { codeOf, type Fault, faultAt } from "../store/fault.ts";
import { planRewind } from "./rewind.ts";
import { spillEvent } from "./spilled-event.ts";
import type { SessionState } from "./state.ts";

const COPIED = ["plan.md", "checkpoints", "outputs", "files", "snapshots"];

/** The original is only read. `at`: the copy ends before this prompt or event. What fails leaves nothing behind. */
export async function forkSession(
  state: SessionState,
  home: HomePaths,
  options: { name?: string; at?: string } = {},
): Promise<Result<string, Failure>> {
  let chain: readonly DurableEnvelope[] = state.chain;
  if (options.at !== undefined) {
    const plan = planRewind(state, options.at);
    if (!plan.ok) return plan;
    chain = chain.slice(0, chain.length - plan.value.eventsRemoved);
  }
  const [first, ...rest] = chain;
  const id = newId();
  const from = home.session(state.sessionId);
  const to = home.session(id);
  const start = startOf(state, first, id, chain.at(-1)?.id ?? "");
  const own = rest.filter((e) => e.type !== "session.start").map((e) => withOwnFiles(e, from, to));
  const copies = linked([start, ...own]);
  if (options.name) {
    const data = { title: options.name, userNamed: true };
    copies.push({ ...base(copies.at(-1)), type: "session.title_changed", data } as DurableEnvelope);
  }
  let whole = false;
  try {
    const copied = copyFiles(from, to);
    const outcome = copied.ok ? await writeLog(to, home.quarantine, copies) : copied;
    whole = outcome.ok;
    return outcome.ok ? ok(id) : outcome;
  } finally {
    if (!whole) rmSync(to.dir, { recursive: true, force: true });
  }
}

function copyFiles(from: SessionPaths, to: SessionPaths): Result<void, Fault> {
  try {
    mkdirSync(to.dir, { recursive: true, mode: 0o700 });
    for (const name of COPIED) {
      if (existsSync(join(from.dir, name))) cpSync(join(from.dir, name), join(to.dir, name), { recursive: true });
    }
    return ok(undefined);
  } catch (error) {
    return fail(faultAt(codeOf(error) ?? "store_io", from.dir, errorText(error)));
  }
}

async function writeLog(
  to: SessionPaths,
  quarantine: string,
  events: readonly DurableEnvelope[],
): Promise<Result<void, Fault>> {
  const opened = await openLog(to.events, {
    accept: () => true,
    onRecord: () => undefined,
    quarantine: { folder: quarantine, label: "fork" },
  });
  if (!opened.ok) return opened;
  const { log } = opened.value;
  try {
    for (const event of events) {
      const outcome = await append(log, event, to.files);
      if (!outcome.ok) return outcome;
    }
    return await log.sync();
  } finally {
    await log.close();
  }
}

async function append(log: AppendLog, event: DurableEnvelope, files: string): Promise<Result<unknown, Fault>> {
  const outcome = log.append(event);
  if (outcome.ok || outcome.error.code !== "too_large") return outcome;
  const spilled = await spillEvent(event, files);
  return spilled.ok ? log.append(spilled.value) : spilled;
}

/** Attached files of the original's folder were copied: the fork shows its own, also when the original is gone. */
function withOwnFiles(event: DurableEnvelope, from: SessionPaths, to: SessionPaths): DurableEnvelope {
  if (event.type !== "tool.execution_complete" || !event.data.attachments) return event;
  const attachments = event.data.attachments.map((a) =>
    dirname(a.path) === from.files ? { ...a, path: join(to.files, basename(a.path)) } : a,
  );
  return { ...event, data: { ...event.data, attachments } };
}

const base = (parent: DurableEnvelope | undefined) => ({
  id: newId(),
  timestamp: systemClock.now(),
  parentId: parent?.id ?? null,
});

function startOf(
  state: SessionState,
  first: DurableEnvelope | undefined,
  sessionId: string,
  eventId: string,
): DurableEnvelope {
  const was = first?.type === "session.start" ? (first as Envelope<"session.start">).data : undefined;
  return {
    ...base(undefined),
    type: "session.start",
    data: {
      producer: "everlong",
      everlongVersion: was?.everlongVersion ?? "",
      modelReason: was?.modelReason ?? "",
      ...was,
      version: 1,
      sessionId,
      startTime: systemClock.now(),
      model: state.model,
      mode: state.mode,
      context: state.context,
      forkedFrom: { sessionId: state.sessionId, eventId },
    },
  };
}

/** Event ids stay; each event's parent is the one before it. */
function linked(events: DurableEnvelope[]): DurableEnvelope[] {
  return events.map((event, i) => ({ ...event, parentId: events[i - 1]?.id ?? null }));
}
