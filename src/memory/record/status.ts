// The life of a record: one union, one transition function. Staleness and votes are no part of it: they come and go.
import type { Status } from "./contract.ts";

export type StatusSignal =
  | { type: "accept" }
  | { type: "supersede"; by: string }
  | { type: "restore" }
  | { type: "delete" };

/** The next status; undefined when the signal leads nowhere from this one. */
export function nextStatus(status: Status, signal: StatusSignal): Status | undefined {
  if (status.type === "deleted") return undefined;
  switch (signal.type) {
    case "accept":
      return status.type === "pending" ? { type: "active" } : undefined;
    case "supersede":
      return status.type === "active" ? { type: "superseded", by: signal.by } : undefined;
    case "restore":
      return status.type === "superseded" ? { type: "active" } : undefined;
    case "delete":
      return { type: "deleted" };
  }
}
