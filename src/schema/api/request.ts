// `/api/requests`: what the gateway did to each proxied request, and why.
import * as z from "zod";
import { listOf } from "./list.ts";

const requestUsage = z.object({
  input: z.number().exactOptional(),
  cached: z.number().exactOptional(),
  output: z.number().exactOptional(),
});

const requestRow = z.object({
  id: z.string(),
  time: z.string(),
  /** The client and the signal that gave it away. */
  family: z.string(),
  familySignal: z.string(),
  folder: z.string().exactOptional(),
  session: z.string().exactOptional(),
  /** Which signal gave the session its key. */
  sessionSignal: z.string().exactOptional(),
  lane: z.number().exactOptional(),
  kind: z.string().exactOptional(),
  /** `pass`, `insert`, `trim`, `retry` or `skip:REASON`. */
  action: z.string(),
  /** In words: why nothing was done. Absent where something was. */
  whyNothing: z.string().exactOptional(),
  upstream: z.string(),
  model: z.string(),
  path: z.string(),
  wire: z.string().exactOptional(),
  window: z.number().exactOptional(),
  usable: z.number().exactOptional(),
  /** As the client asked, and as it was sent on. */
  tokensIn: z.number().exactOptional(),
  tokensSent: z.number().exactOptional(),
  bytesIn: z.number(),
  bytesSent: z.number(),
  /** Bytes that it begins with like the request before it: what an upstream can have in its cache. */
  bytesShared: z.number().exactOptional(),
  epoch: z.number().exactOptional(),
  epochReason: z.string().exactOptional(),
  trimmed: z.number(),
  shortened: z.number(),
  injected: z.number(),
  stored: z.number(),
  recalled: z.number(),
  /** Why a search of memory gave nothing, or less than it should (`schema/recall-loss.ts`). */
  recallLost: z.string().exactOptional(),
  status: z.number().exactOptional(),
  outcome: z.enum(["complete", "incomplete", "failed"]),
  failure: z.string().exactOptional(),
  usage: requestUsage.exactOptional(),
  addedMs: z.number(),
  totalMs: z.number(),
});
export type RequestRow = z.infer<typeof requestRow>;

/** `GET /api/requests?session&family&action&q&limit&after`, newest first. `recording`: false when records are switched off. */
export const requestList = listOf(requestRow).extend({ recording: z.boolean() });

const itemMark = z.enum(["kept", "shortened", "trimmed", "injected"]);
export type ItemMark = z.infer<typeof itemMark>;

/** Where the whole text of an item is stored: `#/sessions?id=SESSION&ref=REF`, `GET /api/recall/items/{session}:{ref}`. */
const storedPlace = z.object({ session: z.string(), ref: z.string() });

/** An item of the history in order. Kept, shortened and trimmed ones were asked for; kept, shortened and injected ones were sent. */
const requestItem = z.object({
  /** Its place in the request as the client sent it; absent for injected ones. */
  position: z.number().exactOptional(),
  role: z.string(),
  kind: z.string(),
  tokens: z.number(),
  mark: itemMark,
  stored: storedPlace.exactOptional(),
  /** How it begins; filtered. Absent when its text is not stored. */
  text: z.string().exactOptional(),
  /** There is more of it than `text`. */
  clipped: z.boolean().exactOptional(),
});
export type RequestItem = z.infer<typeof requestItem>;

/** A text of ours in the request. */
const injectedBlock = z.object({
  block: z.enum(["recall", "state", "notice"]),
  /** What it was made from, in words. */
  source: z.string(),
  tokens: z.number(),
  bytes: z.number().exactOptional(),
  /** It was already in the request before, at the same place. */
  again: z.boolean().exactOptional(),
  text: z.string().exactOptional(),
});

const recalledSnippet = z.object({
  ref: z.string(),
  session: z.string().exactOptional(),
  score: z.number(),
  /** They add up to the score. */
  parts: z.record(z.string(), z.number()).exactOptional(),
  /** In words: the signals that weighed most. */
  why: z.string().exactOptional(),
  text: z.string().exactOptional(),
});

/** `GET /api/requests/{id}`. */
export const requestView = requestRow.extend({
  items: z.array(requestItem),
  injections: z.array(injectedBlock),
  snippets: z.array(recalledSnippet),
  /** Milliseconds by stage: read, plan, upstream, answer. */
  timings: z.record(z.string(), z.number()),
  attempts: z.array(
    z.object({
      status: z.number().exactOptional(),
      tokens: z.number(),
      bytes: z.number(),
      error: z.string().exactOptional(),
    }),
  ),
});
export type RequestDetail = z.infer<typeof requestView>;
