// The user's own hand on what goes to a Graphiti server: its state, and messages that were set aside.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { changeHealth, readHealth } from "../../memory/graphiti/health.ts";
import type { OutboxState } from "../../memory/graphiti/outbox-row.ts";
import { moveRows, readRows } from "../../memory/graphiti/queue.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { GraphitiStatus } from "../client/graph.ts";
import type { Workspace } from "../workspace.ts";
import { GraphitiLink } from "./graphiti.ts";
import { endpointOf, graphitiStateOf, serverOf } from "./graphiti-gate.ts";

const SEND_MS = 2000;

export async function graphitiStatus(workspace: Workspace, db: Database): Promise<GraphitiStatus> {
  const endpoint = endpointOf(workspace);
  const server = serverOf(workspace);
  const state = await graphitiStateOf(workspace, db);
  const place = server === undefined ? undefined : { endpoint: server, root: workspace.root };
  const count = (...states: OutboxState[]) => (place ? readRows(db, { ...place, states }, 100_000).length : 0);
  const error = endpoint.ok
    ? server === undefined
      ? null
      : readHealth(db, server).error
    : `memory.graphiti.endpoint ${endpoint.error}.`;
  return {
    state,
    ...(server === undefined ? {} : { endpoint: server }),
    ...(error === null ? {} : { error }),
    waiting: count("queued", "sending"),
    unconfirmed: count("accepted"),
    parked: count("parked"),
  };
}

export const isOutboxId = (id: string): boolean => /^g\d+$/.test(id);

/** Without ids all that were set aside. What can be sent goes at once. */
export async function requeueOutbox(
  workspace: Workspace,
  db: Database,
  ids: readonly string[],
  to: "queued" | "done",
): Promise<Result<number, Failure>> {
  const seqs = ids.filter(isOutboxId).map((id) => Number(id.slice(1)));
  if (ids.length > 0 && seqs.length === 0) return ok(0);
  const choice = {
    root: workspace.root,
    ...(ids.length > 0 ? { seqs } : { states: ["parked" as const] }),
  };
  const server = serverOf(workspace);
  const outcome = await write(db, () => {
    // A person who tries again does not wait for the next attempt.
    if (to === "queued" && server !== undefined) changeHealth(db, server, { retryAt: 0, failures: 0 });
    return moveRows(db, to === "queued" ? "retry" : "drop", choice);
  });
  if (outcome.ok && to === "queued") await sendWaiting(workspace, db);
  return outcome;
}

/** At the end of a command: what can be sent soon goes, the rest waits for the next process. */
export async function sendWaiting(workspace: Workspace, db: Database): Promise<void> {
  const link = new GraphitiLink(workspace, db, () => undefined);
  await link.wake();
  await link.close(SEND_MS);
}
