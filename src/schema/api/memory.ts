// `/api/memory/records`, `/changes`, `/status`: what is remembered, by whom, and what was changed.
import * as z from "zod";
import { listOf } from "./list.ts";

const citationShape = z.object({
  raw: z.string(),
  kind: z.enum(["file", "turn", "url", "user", "text"]),
  path: z.string().exactOptional(),
  startLine: z.number().exactOptional(),
  endLine: z.number().exactOptional(),
  state: z.enum(["unchecked", "verified", "moved", "changed", "missing", "unverifiable"]),
  checkedAt: z.string().exactOptional(),
});

/** The ETag of a record is `"v<version>"`; PATCH and DELETE send it in `If-Match`. */
export const memoryShape = z.object({
  id: z.string(),
  subject: z.string(),
  fact: z.string(),
  reason: z.string(),
  citations: z.array(citationShape),
  scope: z.enum(["repository", "user"]),
  repository: z.string().nullable(),
  source: z.object({
    sessionId: z.string().exactOptional(),
    turnId: z.string().exactOptional(),
    toolCallId: z.string().exactOptional(),
    agentId: z.string().exactOptional(),
    client: z.string(),
    model: z.string().exactOptional(),
    origins: z.array(z.object({ kind: z.string(), ref: z.string().exactOptional() })),
    trust: z.number(),
  }),
  author: z.object({ kind: z.enum(["user", "agent", "import"]), id: z.string(), name: z.string() }),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  votes: z.object({
    up: z.number(),
    down: z.number(),
    mine: z.enum(["upvote", "downvote"]).nullable(),
    disputed: z.boolean(),
  }),
  lastVerifiedAt: z.string().nullable(),
  verification: z.enum(["unverified", "none", "verified", "partial", "stale"]),
  status: z.discriminatedUnion("type", [
    z.object({ type: z.literal("pending") }),
    z.object({ type: z.literal("active") }),
    z.object({ type: z.literal("superseded"), by: z.string() }),
    z.object({ type: z.literal("deleted") }),
  ]),
  recalls: z.object({ count: z.number(), lastAt: z.string().nullable() }),
});
export type MemoryShape = z.infer<typeof memoryShape>;

/** `GET /api/memory/records?scope&repository&status&author&subject&q&stale&limit&after`; without a repository: everything. */
export const memoryList = listOf(memoryShape);

/** `POST …/records` 201, 200, 202; `POST …/votes`; `POST …/resolution` `{how: accept | reject | replace, old?}`; `POST …/check`. */
export const memoryChanged = z.object({
  outcome: z.string(),
  id: z.string().exactOptional(),
  record: memoryShape.nullish(),
});

const changedTo = z.record(z.string(), z.unknown()).nullish();
/** `GET /api/memory/changes?all=true`, newest first. */
const memoryChangeShape = z.object({
  id: z.number(),
  memory: z.string(),
  action: z.string(),
  actor: z.union([z.string(), z.object({ kind: z.string(), id: z.string(), name: z.string() })]),
  at: z.string(),
  before: changedTo,
  after: changedTo,
});
export const memoryChangeList = listOf(memoryChangeShape);
/** `POST /api/memory/changes/{id}/undo`. */
export const memoryUndone = z.object({ outcome: z.literal("undone"), record: memoryShape.nullish() });

/** `GET /api/memory/status`. */
export const memoryStatus = z.object({
  enabled: z.boolean(),
  strategy: z.string(),
  userScope: z.boolean(),
  /** By scope, then by status. */
  counts: z.record(z.string(), z.record(z.string(), z.number())),
  failures: z.array(z.object({ code: z.string(), at: z.string() })),
});
