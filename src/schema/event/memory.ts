// Events of memory: ids, counts, codes and durations, never a fact, a content or a citation. All but one are told, not kept.
import * as z from "zod";

const count = z.number();

/** `sidekick-<name>-<ms>`: the agent id of a sidekick's run, and of nothing else. */
export const SIDEKICK_ID = /^sidekick-[a-z0-9-]+-\d{13,}$/;

export const memoryEvents = {
  /** Whether leaving the session started a consolidation; `model`: the one that it runs on. */
  "consolidation.gate": () => z.looseObject({ outcome: z.string(), model: z.string().optional() }),
};

export const ephemeralMemoryEvents = {
  "session.memory_changed": () => z.looseObject({}),
  /** What is in force from the next message on. */
  "session.memory_switched": () => z.looseObject({ enabled: z.boolean() }),
  "memory.prompt_loaded": () =>
    z.looseObject({
      strategy: z.string(),
      counts: z.looseObject({ repository: count, user: count, total: count }),
      shown: count,
      tokens: count,
      stale: count,
      cached: z.boolean(),
      durationMs: count,
    }),
  "memory.prompt_unavailable": () => z.looseObject({ strategy: z.string(), code: z.string(), durationMs: count }),
  "memory.skipped": () => z.looseObject({ reason: z.string() }),
  "memory.definition_unsupported": () => z.looseObject({ name: z.string(), version: z.string() }),
  "memory.store": () =>
    z.looseObject({
      outcome: z.string(),
      scope: z.string(),
      strategy: z.string(),
      origins: z.array(z.string()),
      redactions: count,
      similar: count,
      durationMs: count,
    }),
  "memory.vote": () => z.looseObject({ outcome: z.string(), direction: z.string(), strategy: z.string() }),
  "memory.changed": () => z.looseObject({ action: z.string(), by: z.string() }),
  "memory.verified": () => z.looseObject({ verified: count, moved: count, changed: count, missing: count }),
  "memory.file_written": () =>
    z.looseObject({ records: count, merged: count, optimised: z.boolean(), unparsed: count }),
  "board.configured": () =>
    z.looseObject({ repository: z.string(), branch: z.string(), items: count, inherited: count }),
  "board.changed": () => z.looseObject({ command: z.string(), outcome: z.string(), run: z.string().optional() }),
  "consolidation.started": () => z.looseObject({ board: count, turns: count, checkpoint: count, tokens: count }),
  "consolidation.completed": () =>
    z.looseObject({
      outcome: z.string(),
      added: count,
      pruned: count,
      refused: count,
      tokens: count,
      durationMs: count,
    }),
  "sidekick.skipped": () => z.looseObject({ name: z.string(), reason: z.string() }),
  "sidekick.started": () => z.looseObject({ name: z.string(), agentId: z.string() }),
  "sidekick.ended": () =>
    z.looseObject({
      name: z.string(),
      agentId: z.string(),
      state: z.string(),
      tokens: count,
      sends: count,
      durationMs: count,
    }),
  "inbox.sent": () => z.looseObject({ entryId: z.string(), sender: z.string() }),
  "inbox.notified": () => z.looseObject({ entryId: z.string(), inline: z.boolean() }),
  "inbox.read": () => z.looseObject({ entryId: z.string() }),
  "secret.redacted": () => z.looseObject({ rule: z.string(), where: z.string(), count }),
};
