// Forking: a new session whose log begins with its own start and then holds the chain of the old one, event by event.
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { systemClock } from "../base/clock.ts";
import type { Failure } from "../base/failure.ts";
import { newId } from "../base/id.ts";
import { ok, type Result } from "../base/result.ts";
import type { HomePaths } from "../host/paths.ts";
import type { DurableEnvelope, Envelope } from "../schema/event/envelope.ts";
import { openLog } from "../store/append-log.ts";
import { planRewind } from "./rewind.ts";
import type { SessionState } from "./state.ts";

const COPIED = ["plan.md", "checkpoints", "outputs", "files", "snapshots"];

/** The original is only read. `at`: the copy ends before this prompt or event. */
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
  mkdirSync(to.dir, { recursive: true, mode: 0o700 });
  for (const name of COPIED) {
    if (existsSync(`${from.dir}/${name}`)) cpSync(`${from.dir}/${name}`, `${to.dir}/${name}`, { recursive: true });
  }
  const opened = await openLog(to.events, {
    accept: () => true,
    onRecord: () => undefined,
    quarantine: { folder: home.quarantine, label: id },
  });
  if (!opened.ok) return opened;
  const { log } = opened.value;
  const start = startOf(state, first, id, chain.at(-1)?.id ?? "");
  const copies = linked([start, ...rest.filter((e) => e.type !== "session.start")]);
  if (options.name) {
    const data = { title: options.name, userNamed: true };
    copies.push({ ...base(copies.at(-1)), type: "session.title_changed", data } as DurableEnvelope);
  }
  for (const event of copies) {
    const done = log.append(event);
    if (!done.ok) return done;
  }
  const synced = await log.sync();
  await log.close();
  return synced.ok ? ok(id) : synced;
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
