// Events of a session's life: start, resume, shutdown, mode, model, title, notices, rewind.
import * as z from "zod";
import { usage } from "../model.ts";
import { agentMode, sessionContext } from "../session.ts";
import { todo, todoDep } from "../todo.ts";

/** Why the bytes of the prompt changed, so that the provider's cache begins anew. */
const epochReason = z.enum([
  ...(["start", "resume", "compaction", "undo", "rewind"] as const),
  ...(["model_switch", "cut", "tools_changed", "system_changed"] as const),
]);

const notice = {
  message: z.string(),
  hint: z.string().optional(),
  statusCode: z.number().optional(),
  code: z.string().optional(),
};

/** A file that was changed since. */
const changedFile = z.looseObject({
  path: z.string(),
  /** Name of the old bytes. Absent: it was new, and goes away again. `lost`: they were not kept. */
  before: z.string().optional(),
  /** Hash of what the agent wrote last. */
  after: z.string().optional(),
  /** Somebody else wrote between two of the agent's changes: what they wrote may still stand in it. */
  isShared: z.boolean(),
});
export type ChangedFile = z.infer<typeof changedFile>;

export const sessionEvents = {
  "session.start": () =>
    z.looseObject({
      sessionId: z.string(),
      version: z.number(),
      producer: z.string(),
      everlongVersion: z.string(),
      startTime: z.string(),
      model: z.string(),
      modelReason: z.string(),
      mode: agentMode,
      agent: z.string().optional(),
      context: sessionContext,
      forkedFrom: z.looseObject({ sessionId: z.string(), eventId: z.string() }).optional(),
      parentSessionId: z.string().optional(),
    }),
  "session.resume": () =>
    z.looseObject({
      resumeTime: z.string(),
      eventCount: z.number(),
      model: z.string(),
      context: sessionContext,
      recovered: z
        .looseObject({ tornBytes: z.number(), damagedLines: z.number(), interruptedCalls: z.number() })
        .optional(),
    }),
  "session.damaged": () =>
    z.looseObject({
      line: z.number(),
      offset: z.number(),
      bytes: z.number(),
      file: z.string().optional(),
    }),
  "session.shutdown": () =>
    z.looseObject({
      type: z.enum(["routine", "error", "signal"]),
      reason: z.string().optional(),
      usage: z.record(z.string(), usage),
      apiDurationMs: z.number(),
      codeChanges: z.looseObject({ files: z.array(z.string()), added: z.number(), removed: z.number() }),
      currentTokens: z.number(),
    }),
  "session.task_complete": () => z.looseObject({ summary: z.string().optional(), success: z.boolean().optional() }),
  "session.title_changed": () => z.looseObject({ title: z.string(), userNamed: z.boolean() }),
  "session.mode_changed": () =>
    z.looseObject({
      previousMode: agentMode,
      newMode: agentMode,
      /** Set with mode research: the run that begins, or goes on, with it. */
      research: z.looseObject({ topic: z.string(), path: z.string() }).optional(),
    }),
  /** `sha256` is empty when the file is gone. */
  "session.plan_changed": () =>
    z.looseObject({
      operation: z.enum(["create", "update", "delete"]),
      sha256: z.string(),
      by: z.enum(["agent", "outside"]),
    }),
  "session.model_change": () =>
    z.looseObject({
      previousModel: z.string().optional(),
      newModel: z.string(),
      cause: z.string(),
    }),
  "session.model_limit": () => z.looseObject({ model: z.string(), limit: z.number(), source: z.string() }),
  "session.context_changed": () => z.looseObject({ context: sessionContext }),
  "session.todos_changed": () =>
    z.looseObject({
      todos: z.array(todo),
      removedTodos: z.array(z.string()),
      deps: z.array(todoDep),
      removedDeps: z.array(todoDep),
    }),
  "session.info": () => z.looseObject({ infoType: z.string(), ...notice }),
  "session.warning": () => z.looseObject({ warningType: z.string(), ...notice }),
  "session.error": () => z.looseObject({ errorType: z.string(), ...notice }),
  "session.snapshot_rewind": () =>
    z.looseObject({
      upToEventId: z.string(),
      eventsRemoved: z.number(),
      filesRestored: z.array(z.string()),
      filesSkipped: z.array(z.string()),
      /** Those of them that somebody else had changed, with what is needed to put them back later. */
      filesLeft: z.array(changedFile).optional(),
      /** Agents that leave the history with it. */
      withdrawnAgents: z.array(z.string()).optional(),
      /** Agents that stay, and whose result left with the words that told it. */
      untoldAgents: z.array(z.string()).optional(),
    }),
};

export const ephemeralSessionEvents = {
  "session.idle": () => z.looseObject({ aborted: z.boolean().optional() }),
  "session.usage_info": () =>
    z.looseObject({
      /** L, the prompt limit. */
      tokenLimit: z.number(),
      /** Exactly system + conversation + tool definitions, as sent. */
      currentTokens: z.number(),
      /** System items are not counted. */
      messagesLength: z.number(),
      systemTokens: z.number(),
      conversationTokens: z.number(),
      toolDefinitionsTokens: z.number(),
      isInitial: z.boolean(),
      /** Part of the system text and the conversation, not on top of them. */
      memoryTokens: z.number(),
      untruncatedTokens: z.number(),
      shortenedItems: z.number(),
      /** E, the limit less the retry buffer. */
      effectiveLimit: z.number(),
      /** The size at which compaction starts; absent when no size starts it. */
      compactionAt: z.number().optional(),
      /** What the provider said it had cached of the latest answered request. */
      cachedTokens: z.number().optional(),
      repairedItems: z.number(),
      tokenAccountingBasis: z.enum(["estimated", "calibrated"]),
      model: z.string(),
      epoch: z.looseObject({ number: z.number(), reason: epochReason }),
    }),
  "session.tools_updated": () => z.looseObject({ tools: z.array(z.string()) }),
  "recall.completed": () =>
    z.looseObject({
      caller: z.string(),
      scope: z.string(),
      results: z.number(),
      partial: z.boolean(),
      durationMs: z.number(),
    }),
  /** Messages for a Graphiti server that found no place in the queue. */
  "graphiti.dropped": () => z.looseObject({ count: z.number() }),
  /** What each group of a Graphiti server gave for a turn. */
  "graphiti.recall": () =>
    z.looseObject({
      scopes: z.array(z.looseObject({ scope: z.string(), outcome: z.string(), facts: z.number(), ms: z.number() })),
      shown: z.number(),
    }),
  "store.rebuilt": () =>
    z.looseObject({
      rows: z.number(),
      skipped: z.number(),
      sources: z.array(z.string()),
      quarantine: z.string().optional(),
      message: z.string(),
    }),
  /** How far long work outside a session is, such as an import: bytes or rows done of `total`, and what came of it. */
  "work.progress": () =>
    z.looseObject({ label: z.string(), part: z.number(), total: z.number(), count: z.number(), unit: z.string() }),
  /** What a command outside a session printed at its end; `value` is what `--json` prints. */
  "command.output": () => z.looseObject({ text: z.string(), value: z.unknown().optional() }),
  soft_failure: () =>
    z.looseObject({
      part: z.string(),
      code: z.string(),
      message: z.string(),
      sessionId: z.string().optional(),
    }),
};
