// `/api/sessions`: sessions of our agent, of the gateway's clients and imported ones, in one list.
import * as z from "zod";
import { listOf } from "./list.ts";

export const sessionSource = z.enum(["agent", "gateway", "import"]);
export type SessionSource = z.infer<typeof sessionSource>;

export const sessionRow = z.object({
  id: z.string(),
  source: sessionSource,
  title: z.string(),
  /** `everlong`, or the family of a proxied client: codex, claude, … */
  client: z.string(),
  /** The root of its repository, else its folder. */
  folder: z.string().nullable(),
  repository: z.string().nullable(),
  branch: z.string().nullable(),
  model: z.string().nullable(),
  turns: z.number(),
  /** Input and output of all its model calls. */
  tokens: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** The process that has it open; null: nobody. */
  pid: z.number().nullable(),
});
export type SessionRow = z.infer<typeof sessionRow>;

/** `GET /api/sessions?folder&client&source&since&until&q&limit&after`, latest use first. */
export const sessionList = listOf(sessionRow);

/** What a model call used. Ephemeral in the log, kept for 30 days. */
const usageObservation = z.object({
  at: z.string(),
  model: z.string(),
  agentId: z.string().exactOptional(),
  turn: z.number().exactOptional(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  durationMs: z.number().exactOptional(),
});
/** The window after a request was made ready; `limit` is what the model takes. */
const windowObservation = z.object({ at: z.string(), tokens: z.number(), limit: z.number() });
/** What one request left out; the log keeps it. */
const truncationObservation = z.object({
  at: z.string(),
  tokensRemoved: z.number(),
  messagesRemoved: z.number(),
});

const timelineKind = z.enum(["prompt", "compaction", "truncation", "recall", "subagent", "error", "rewind"]);
/** Something worth seeing at a glance. `until` ends a span; `event` is an event of the log, `request` a proxied one. */
const timelineEntry = z.object({
  at: z.string(),
  until: z.string().exactOptional(),
  kind: timelineKind,
  label: z.string(),
  event: z.string().exactOptional(),
  request: z.string().exactOptional(),
  /** With this cursor, `GET …/events` gives the page that begins with this event. */
  cursor: z.string().exactOptional(),
});
export type SessionMoment = z.infer<typeof timelineEntry>;

const sessionCheckpoint = z.object({
  number: z.number(),
  title: z.string(),
  at: z.string(),
  trigger: z.string().nullable(),
  state: z.string(),
});

const sessionTodo = z.object({ id: z.string(), title: z.string(), status: z.string() });

/** Only proxied sessions have it. Texts are read and written at `/api/proxy/sessions/{id}/todo`, `/pinned`, `/summary`, `/spec`. */
const proxiedPart = z.object({
  family: z.string(),
  /** What told the gateway which session it is. */
  signal: z.string(),
  namespace: z.string().nullable(),
  lanes: z.array(
    z.object({
      id: z.number(),
      kind: z.string(),
      items: z.number(),
      epoch: z.number(),
      reason: z.string().exactOptional(),
      model: z.string().exactOptional(),
      dropped: z.number(),
      shortened: z.number(),
      insertions: z.number(),
    }),
  ),
  requests: z.number(),
  tokensIn: z.number(),
  tokensSent: z.number(),
  netSaved: z.number(),
  /** Lengths in characters. */
  files: z.object({ todo: z.number(), pinned: z.number(), summary: z.number() }),
  spec: z.object({
    mode: z.enum(["on", "off"]),
    approved: z.boolean(),
    time: z.string().exactOptional(),
    way: z.string().exactOptional(),
  }),
});

/** `GET /api/sessions/{id}`. */
export const sessionView = sessionRow.extend({
  /** A session of ours that is open and listens: it can be compacted, stopped and written to from here. */
  mayControl: z.boolean(),
  usage: z.array(usageObservation),
  window: z.array(windowObservation),
  truncations: z.array(truncationObservation),
  /** Parts of the window at which a compaction begins in the background, and at which it blocks; null: never, or proxied. */
  thresholds: z.object({ background: z.number().nullable(), blocking: z.number().nullable() }).nullable(),
  timeline: z.array(timelineEntry),
  checkpoints: z.array(sessionCheckpoint),
  files: z.array(z.string()),
  todos: z.array(sessionTodo),
  proxied: proxiedPart.nullable(),
});
export type SessionDetail = z.infer<typeof sessionView>;

/** An event as the log has it; types that this page does not know are shown as they are. */
const sessionEvent = z.looseObject({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  parentId: z.string().nullable(),
  agentId: z.string().exactOptional(),
  data: z.record(z.string(), z.unknown()),
});
export type SessionEvent = z.infer<typeof sessionEvent>;

/** `cursor` is the place right behind the event: `after=cursor` goes on there, also when the log has grown. */
const sessionEventItem = z.object({ cursor: z.string(), event: sessionEvent });

/**
 * `GET /api/sessions/{id}/events?after&limit&type`, oldest first. `end` is the cursor of the log's end as of now, also on an
 * empty page: a page that is open reads on from there when the stream says that the session has grown. `before=cursor`
 * gives the events before that place instead, still oldest first, and `previous` leads further back.
 */
export const sessionEventList = listOf(sessionEventItem).extend({
  end: z.string(),
  previous: z.string().nullish(),
});
