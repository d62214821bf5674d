// Promotions on their way to a Graphiti server: queued beside the built-in graph, and taken out of the queue by an undo.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import type { EpisodeInput } from "../../memory/graph/contract.ts";
import type { OutboxState } from "../../memory/graphiti/outbox-row.ts";
import { enqueueUnit, moveRows, readRows } from "../../memory/graphiti/queue.ts";
import { mayConnect } from "../../memory/graphiti/state.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { PromotionView } from "../client/graph.ts";
import type { Workspace } from "../workspace.ts";
import type { GraphGroup } from "./feed.ts";
import { graphitiStateOf, serverOf } from "./graphiti-gate.ts";

/** Nothing is queued for a server that may not be reached. */
export async function queuePromotion(
  workspace: Workspace,
  db: Database,
  { id: group, scope }: GraphGroup,
  { name, text, sourceDescription = "", validAt }: EpisodeInput,
): Promise<Result<void, Failure>> {
  const endpoint = serverOf(workspace);
  if (endpoint === undefined || !mayConnect(await graphitiStateOf(workspace, db))) return ok(undefined);
  const now = new Date().toISOString();
  const message = {
    content: workspace.redact(text),
    name,
    role_type: "system" as const,
    role: "everlong",
    timestamp: validAt ?? now,
    source_description: sourceDescription,
  };
  const draft = { group, scope, kind: "promotion" as const, unit: name, message };
  const maxQueueSize = workspace.settings.values["memory.graphiti.maxQueueSize"];
  const queued = await enqueueUnit(db, { endpoint, root: workspace.root }, [draft], {
    maxQueueSize,
    mayEvict: true,
    now,
  });
  return queued.ok ? ok(undefined) : queued;
}

const STATES: Readonly<Record<OutboxState, PromotionView["state"]>> = {
  queued: "queued",
  sending: "queued",
  accepted: "delivered",
  confirmed: "delivered",
  parked: "parked",
  dropped: "stored",
};

/** Where it stands on its way to the server; `stored` when no server is to have it. */
export const promotionState = (db: Database, name: string): PromotionView["state"] =>
  STATES[readRows(db, { unit: name }, 1)[0]?.state ?? "dropped"];

/** Takes what has not left out of the queue. False: the server has it, or may have it. */
export async function unqueuePromotion(db: Database, name: string): Promise<Result<boolean, Failure>> {
  return write(db, () => {
    moveRows(db, "drop", { unit: name, states: ["queued", "parked"] });
    return readRows(db, { unit: name }).every(({ state }) => state === "dropped");
  });
}
