// Promotions on their way to a Graphiti server: queued beside the built-in graph or instead of it, and taken back there.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import type { EpisodeInput } from "../../memory/graph/contract.ts";
import type { OutboxRow, OutboxState } from "../../memory/graphiti/outbox-row.ts";
import { enqueueUnit, moveRows, readRows } from "../../memory/graphiti/queue.ts";
import { mayConnect } from "../../memory/graphiti/state.ts";
import { type Withdrawal, withdraw } from "../../memory/graphiti/withdraw.ts";
import { readPromotion } from "../../memory/promote/block.ts";
import type { StoredPromotion } from "../../memory/promote/promotion.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { PromotionView } from "../client/graph.ts";
import type { Workspace } from "../workspace.ts";
import type { GraphGroup } from "./feed.ts";
import { graphitiClient } from "./graphiti.ts";
import { graphitiStateOf, serverOf } from "./graphiti-gate.ts";
import { gitFactsOf, ownersOf } from "./outgoing.ts";

/** The server's address, when something may be queued for it. */
export async function promotionServer(workspace: Workspace, db: Database): Promise<string | undefined> {
  const endpoint = serverOf(workspace);
  return endpoint !== undefined && mayConnect(await graphitiStateOf(workspace, db)) ? endpoint : undefined;
}

/** Nothing is queued for a server that may not be reached. False: it is not on its way. */
export async function queuePromotion(
  workspace: Workspace,
  db: Database,
  { id: group, scope }: GraphGroup,
  { name, text, sourceDescription = "", validAt }: EpisodeInput,
): Promise<Result<boolean, Failure>> {
  const endpoint = await promotionServer(workspace, db);
  if (endpoint === undefined) return ok(false);
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
  const { values } = workspace.settings;
  const rules = { maxQueueSize: values["memory.graphiti.maxQueueSize"], mayEvict: true, now };
  const git = values["memory.graphiti.includeSystemMessages"] ? await gitFactsOf(workspace) : undefined;
  for (const owner of ownersOf(workspace, [{ id: group, scope }], message.timestamp, git)) {
    const first = await enqueueUnit(db, { endpoint, root: workspace.root }, owner, rules);
    if (!first.ok) return first;
  }
  const queued = await enqueueUnit(db, { endpoint, root: workspace.root }, [draft], rules);
  return queued.ok ? ok(queued.value.dropped === 0 || queued.value.added > 0) : queued;
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

/** What a server has, or is to have; newest first. */
export function outgoingPromotions(db: Database, groups: readonly string[] | undefined): StoredPromotion[] {
  return readRows(db, { kind: "promotion" }, MOST_ROWS)
    .filter(({ group, state }) => state !== "dropped" && (groups?.includes(group) ?? true))
    .map(outgoing)
    .reverse();
}

const MOST_ROWS = 10_000;
const NAME = /^everlong\.(auto_)?promotion\.(.+)$/;

function outgoing({ group, scope, message: { name, content, timestamp } }: OutboxRow): StoredPromotion {
  const [, auto, id = name] = NAME.exec(name) ?? [];
  const promotion = readPromotion(content) ?? {
    // Its words were taken back here, and the server could not be asked to do the same.
    kind: "decision" as const,
    scope: scope === "user" ? ("user" as const) : ("workspace" as const),
    at: timestamp,
    text: "",
  };
  return { ...promotion, id, group, name, isAuto: auto !== undefined };
}

/** Takes it out of the queue and off the server. `absent`: no server has it or gets it. */
export async function withdrawPromotion(
  workspace: Workspace,
  db: Database,
  name: string,
): Promise<Result<Withdrawal, Failure>> {
  let outcome: Withdrawal = { type: "absent" };
  for (const row of readRows(db, { unit: name })) {
    if (row.state === "dropped") continue;
    const unsent = await write(db, () => {
      const [now] = readRows(db, { seqs: [row.seq], states: ["queued"] });
      return now !== undefined && now.sentAt === undefined && moveRows(db, "withdraw", { seqs: [row.seq] }) > 0;
    });
    if (!unsent.ok) return unsent;
    if (unsent.value) continue;
    const { group, message } = row;
    const text = readPromotion(message.content)?.text ?? "";
    const client = graphitiClient(workspace, row.endpoint);
    const withdrawal = await withdraw(client, { group, name, text }, new AbortController().signal);
    // Whether it will still appear nobody can tell.
    const isOnItsWay = withdrawal.type === "absent" && (row.state === "sending" || row.state === "accepted");
    if (withdrawal.type === "unsure") outcome = { type: "unsure", why: `${row.endpoint}: ${withdrawal.why}` };
    else if (isOnItsWay)
      outcome = { type: "unsure", why: `${row.endpoint} took the message and does not show it yet.` };
    else {
      if (withdrawal.type === "gone" && outcome.type === "absent") outcome = withdrawal;
      const moved = await write(db, () => moveRows(db, "withdraw", { seqs: [row.seq] }));
      if (!moved.ok) return moved;
    }
  }
  return ok(outcome);
}
