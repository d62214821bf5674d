// The life of one server: what it can be, and the one function that changes it.
import type { Connection, ListedTool, ToolList } from "./connection.ts";

export type Life =
  | { status: "disabled" }
  | { status: "untrusted"; reason: string }
  /** Its tools are known from an earlier run; it starts at its first call. */
  | { status: "lazy"; tools: ListedTool[] }
  /** `restarts` counts since it last answered a call. */
  | { status: "starting"; restarts: number; waitMs: number }
  | { status: "connected"; restarts: number; connection: Connection; tools: ListedTool[]; warnings: string[] }
  | { status: "failed" | "needs-auth"; reason: string };
export type ServerStatus = Life["status"];

export type LifeEvent =
  | { type: "start" }
  /** The tools of a lazy server, from an earlier run. */
  | { type: "remembered"; tools: ListedTool[] }
  | { type: "connected"; connection: Connection; list: ToolList }
  | { type: "refused"; code: "needs-auth" | "failed"; reason: string }
  /** A connected server is gone. */
  | { type: "lost"; reason: string }
  | { type: "worked" }
  | { type: "listed"; list: ToolList }
  | { type: "stopped" };

const PAUSES_MS = [1000, 2000, 4000, 8000, 16_000];

/** An event that does not fit changes nothing: the very same object comes back. */
export function nextLife(life: Life, event: LifeEvent): Life {
  if (life.status === "untrusted") return life;
  switch (event.type) {
    case "start":
      if (life.status === "starting" || life.status === "connected") return life;
      return { status: "starting", restarts: 0, waitMs: 0 };
    case "remembered":
      return life.status === "lazy" ? { ...life, tools: event.tools } : life;
    case "connected": {
      if (life.status !== "starting") return life;
      const { connection, list } = event;
      return { status: "connected", restarts: life.restarts, connection, ...list };
    }
    case "refused":
      if (life.status !== "starting") return life;
      if (life.restarts > 0 && event.code === "failed") return restarted(life.restarts, event.reason);
      return { status: event.code, reason: event.reason };
    case "lost":
      return life.status === "connected" ? restarted(life.restarts, event.reason) : life;
    case "worked":
      return life.status === "connected" && life.restarts > 0 ? { ...life, restarts: 0 } : life;
    case "listed":
      return life.status === "connected" ? { ...life, ...event.list } : life;
    case "stopped":
      return life.status === "disabled" ? life : { status: "disabled" };
  }
}

function restarted(restarts: number, reason: string): Life {
  const waitMs = PAUSES_MS[restarts];
  return waitMs === undefined
    ? { status: "failed", reason: `${reason}; it was started again ${restarts} times` }
    : { status: "starting", restarts: restarts + 1, waitMs };
}
