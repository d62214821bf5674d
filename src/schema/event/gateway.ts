// Events of the gateway: what `everlong serve --json` prints and `GET /api/events` streams. Ids and counts, no text.
import * as z from "zod";
import { wireName } from "../model.ts";
import { ephemeralSessionEvents } from "./session.ts";

const text = z.string().optional();
const count = z.number().optional();

/** A request is over. One that passed unread has neither session nor figures. */
const request = z.strictObject({
  id: z.string(),
  time: text,
  family: z.string(),
  familySignal: text,
  folder: text,
  upstream: text,
  model: text,
  path: z.string(),
  wire: wireName.optional(),
  session: text,
  sessionSignal: text,
  lane: count,
  kind: text,
  action: z.string(),
  window: count,
  usable: count,
  tokensIn: count,
  tokensSent: count,
  bytesIn: count,
  bytesSent: count,
  bytesShared: count,
  epoch: count,
  epochReason: text,
  dropped: count,
  shortened: count,
  stored: count,
  recalled: count,
  /** Why memory was not searched, or not in time. */
  recallLost: text,
  attempts: z
    .array(z.strictObject({ status: count, tokens: z.number(), bytes: z.number(), error: text }))
    .readonly()
    .optional(),
  status: count,
  outcome: z.enum(["complete", "incomplete", "failed"]),
  failure: text,
  usage: z.strictObject({ input: count, cached: count, output: count }).optional(),
  /** The milliseconds that the gateway added, and those of the whole request. */
  addedMs: count,
  totalMs: z.number(),
});

const ofRequest = { request: z.string(), session: text };
const event = <Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  z.strictObject({ type: z.literal(type), data });

export const gatewayEvent = z.discriminatedUnion("type", [
  event("proxy.request", request),
  /** A request that the provider refused for its size is sent again, smaller. */
  event("proxy.retry", z.strictObject(ofRequest)),
  /** A lane begins a new epoch. */
  event(
    "proxy.cut",
    z.strictObject({ ...ofRequest, reason: z.string(), dropped: z.number(), shortened: z.number(), epoch: z.number() }),
  ),
  event("proxy.recall", z.strictObject({ ...ofRequest, snippets: z.number() })),
  event("proxy.window_learned", z.strictObject({ upstream: z.string(), model: z.string(), tokens: z.number() })),
  event("proxy.session_created", z.strictObject({ session: z.string(), family: z.string() })),
  /** A session that began without a key has got one. */
  event("session.adopted", z.strictObject({ session: z.string() })),
  /** A part failed while the request went on. */
  event(
    "proxy.soft_failure",
    z.strictObject({ part: z.string(), code: text, message: text, request: text, session: text }),
  ),
  event("recall.completed", ephemeralSessionEvents["recall.completed"]()),
  /** Events that a reader of the stream missed are no longer kept. */
  event("gateway.gap", z.strictObject({})),
]);
export type GatewayEvent = z.infer<typeof gatewayEvent>;
