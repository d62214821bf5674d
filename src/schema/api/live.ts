// `GET /api/events`: what happens in this home, as one SSE stream with `Last-Event-ID`. Ids and counts, never a text.
import type { GatewayEvent } from "../event/gateway.ts";

type Event<Type extends string, Data = Record<string, never>> = { type: Type; data: Data };

/**
 * `session.grown`: read its events from your cursor on. `gateway.gap` (of the gateway's own events): some were missed for
 * good, so read again whatever you show. `*.changed`: read that list again.
 */
export type HomeEvent =
  | Event<"session.grown", { session: string; end: string }>
  | Event<"sessions.changed", { sessions: string[] }>
  | Event<"inbox.changed", { session: string }>
  | Event<"memory.changed" | "board.changed" | "graph.changed" | "settings.changed">;

/** Every event of the stream: the name stands in `event:`, this in `data:` beside it. */
export type LiveEvent = GatewayEvent | HomeEvent;
