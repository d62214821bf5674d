// What a session's log amounts to at a glance: moments for its timeline, and its agents. Read once, then only what came later.
import { statSync } from "node:fs";
import { type AgentRecords, foldAgents } from "../../agent/task/fold.ts";
import { Mutex } from "../../base/mutex.ts";
import { ok, type Result } from "../../base/result.ts";
import { firstLine } from "../../base/text.ts";
import type { SessionPaths } from "../../host/paths.ts";
import type { SessionMoment } from "../../schema/api/session.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { eventReader } from "../../session/read-session.ts";
import type { Fault } from "../../store/fault.ts";
import { readLog } from "../../store/read-log.ts";

export type SessionDigest = {
  /** How far the log was read. */
  end: number;
  moments: SessionMoment[];
  agents: AgentRecords;
  /** What an agent waits for the user's word for, by the agent's id; `main` for the main agent. */
  permissions: Map<string, string>;
  todos: Map<string, { id: string; title: string; status: string }>;
};

const KEPT = 40;
const LABEL = 120;
const MOST_TEXT = 4096;
const MOST_MOMENTS = 5000;

/** The digests of the sessions that were looked at last. */
export class SessionDigests {
  readonly #digests = new Map<string, SessionDigest>();
  readonly #one = new Mutex();

  /** One at a time: nothing is folded twice. */
  of(id: string, paths: SessionPaths): Promise<Result<SessionDigest, Fault>> {
    return this.#one.run(() => this.#of(id, paths));
  }

  async #of(id: string, paths: SessionPaths): Promise<Result<SessionDigest, Fault>> {
    const size = statSync(paths.events, { throwIfNoEntry: false })?.size ?? 0;
    const before = this.#digests.get(id);
    // A log that is shorter than before is another one.
    const digest = before && before.end <= size ? before : emptyDigest();
    this.#digests.delete(id);
    this.#digests.set(id, digest);
    const oldest = this.#digests.size > KEPT ? this.#digests.keys().next() : undefined;
    if (oldest && !oldest.done) this.#digests.delete(oldest.value);
    if (digest.end === size) return ok(digest);
    const from = digest.end;
    const reader = eventReader(paths, (event, { offset }) => add(digest, event, offset, id), MOST_TEXT);
    const read = await readLog(paths.events, { ...reader, from });
    if (!read.ok) return read.error.code === "not_found" ? ok(digest) : read;
    digest.end = Math.max(from, read.value.end);
    return ok(digest);
  }
}

const emptyDigest = (): SessionDigest => ({
  end: 0,
  moments: [],
  agents: new Map(),
  permissions: new Map(),
  todos: new Map(),
});

function add(digest: SessionDigest, event: DurableEnvelope, offset: number, session: string): void {
  foldAgents(digest.agents, event, session);
  notePermission(digest, event);
  if (event.type === "session.todos_changed") {
    for (const { id, title, status } of event.data.todos) digest.todos.set(id, { id, title, status });
    for (const id of event.data.removedTodos) digest.todos.delete(id);
  }
  const moment = momentOf(digest, event);
  if (!moment || digest.moments.length >= MOST_MOMENTS) return;
  digest.moments.push({ at: event.timestamp, event: event.id, cursor: String(offset), ...moment });
}

type Words = Pick<SessionMoment, "kind" | "label">;

export const thousands = (count: number): string => count.toLocaleString("en");

/** Ends of subagents close the span that their start began. */
function momentOf(digest: SessionDigest, event: DurableEnvelope): Words | undefined {
  const label = (text: string): string => firstLine(text, LABEL);
  switch (event.type) {
    case "user.message":
      return event.agentId === undefined && event.data.ref
        ? { kind: "prompt", label: label(event.data.display ?? event.data.content) }
        : undefined;
    case "session.compaction_complete": {
      const { outcome, trigger, preCompactionTokens: before, postCompactionTokens: after } = event.data;
      const words = outcome === "applied" ? `${thousands(before)} → ${thousands(after)} tokens` : outcome;
      return event.agentId === undefined ? { kind: "compaction", label: `${words} (${trigger})` } : undefined;
    }
    case "session.compaction_undone":
      return { kind: "compaction", label: "undone" };
    case "session.snapshot_rewind":
      return { kind: "rewind", label: `${event.data.eventsRemoved} events taken back` };
    case "session.error":
      return { kind: "error", label: label(event.data.message) };
    case "subagent.started":
      return { kind: "subagent", label: label(`${event.data.name}: ${event.data.description}`) };
    case "subagent.completed":
    case "subagent.failed":
    case "subagent.cancelled":
      return endSpan(digest, event.data.agentId, event.timestamp);
    default:
      return undefined;
  }
}

function endSpan(digest: SessionDigest, agent: string, until: string): undefined {
  const started = digest.agents.get(agent)?.createdAt;
  const span = digest.moments.findLast(({ kind, at }) => kind === "subagent" && at === started);
  if (span) span.until = until;
  return undefined;
}

function notePermission({ permissions }: SessionDigest, event: DurableEnvelope): void {
  const who = event.agentId ?? "main";
  if (event.type === "permission.requested") permissions.set(who, event.data.kind);
  if (event.type === "permission.completed") permissions.delete(who);
}
