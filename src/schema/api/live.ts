// `GET /api/events`: what happens in this home, as one SSE stream with `Last-Event-ID`. Ids and counts, never a text.
import * as z from "zod";
import { gatewayEvent } from "../event/gateway.ts";

const event = <Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  z.object({ type: z.literal(type), data });

/**
 * `session.grown`: read its events from your cursor on. `gateway.gap` (of the gateway's own events): some were missed for
 * good, so read again whatever you show. `*.changed`: read that list again.
 */
const homeEvent = z.discriminatedUnion("type", [
  event("session.grown", z.object({ session: z.string(), end: z.string() })),
  event("sessions.changed", z.object({ sessions: z.array(z.string()) })),
  event("memory.changed", z.object({})),
  event("board.changed", z.object({})),
  event("graph.changed", z.object({})),
  event("inbox.changed", z.object({ session: z.string() })),
  event("settings.changed", z.object({})),
]);
export type HomeEvent = z.infer<typeof homeEvent>;

/** Every event of the stream: the name stands in `event:`, this in `data:` beside it. */
const liveEvent = z.union([gatewayEvent, homeEvent]);
export type LiveEvent = z.infer<typeof liveEvent>;
