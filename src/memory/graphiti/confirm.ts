// Whether a Graphiti server stored what it took: 202 is no proof, a name among its episodes is.
import { hash } from "node:crypto";
import type { Result } from "../../base/result.ts";
import { ok } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { GraphitiClient } from "./client.ts";
import { changeHealth, probeMs, readHealth } from "./health.ts";
import type { GraphitiMessage } from "./outbox-row.ts";
import { moveRows, type OutboxPlace, readRows } from "./queue.ts";

export const LOOK_MS = 30_000;
const STALLED_MS = 600_000;
const LOOK_BACK = 100;

type ConfirmParts = { db: Database; client: GraphitiClient; place: OutboxPlace; now: () => number };
/** `stalled` is given once, when it begins. */
type ConfirmOutcome = "nothing" | "seen" | "stalled" | "recovered";

/** Looks for the names of what was taken; a server that answers with an error is taken at its word. */
export async function confirm(parts: ConfirmParts, signal: AbortSignal): Promise<Result<ConfirmOutcome, Fault>> {
  const { db, place, now } = parts;
  const health = readHealth(db, place.endpoint);
  const hasSeen = await look(parts, signal);
  if (!hasSeen.ok) return hasSeen;
  const isBack = health.stalledAt > 0 && (hasSeen.value || (await probeArrived(parts, signal)));
  if (isBack) await cleanUp(parts, signal);
  else if (health.stalledAt > 0) await postProbe(parts, signal);
  return write(db, () => {
    const at = now();
    if (isBack) {
      moveRows(db, "resend", { ...place, states: ["accepted"] });
      changeHealth(db, place.endpoint, { stalledAt: 0, probes: 0, seenAt: at, lookAt: at + LOOK_MS });
      return "recovered";
    }
    if (health.stalledAt > 0) {
      changeHealth(db, place.endpoint, { lookAt: at + probeMs(health.probes), probes: health.probes + 1 });
      return "nothing";
    }
    const [oldest] = readRows(db, { ...place, states: ["accepted"] }, 1);
    const since = oldest?.sentAt === undefined ? at : Math.max(Date.parse(oldest.sentAt), health.seenAt);
    const isStalled = !hasSeen.value && at - since >= STALLED_MS;
    changeHealth(db, place.endpoint, {
      lookAt: at + LOOK_MS,
      ...(hasSeen.value ? { seenAt: at } : {}),
      ...(isStalled ? { stalledAt: at, probes: 0 } : {}),
    });
    return isStalled ? "stalled" : hasSeen.value ? "seen" : "nothing";
  });
}

async function look({ db, client, place }: ConfirmParts, signal: AbortSignal): Promise<Result<boolean, Fault>> {
  const rows = readRows(db, { ...place, states: ["accepted"] });
  let hasSeen = false;
  for (const group of new Set(rows.map((row) => row.group))) {
    const episodes = await client.episodes(group, LOOK_BACK, signal);
    if (!episodes.ok && episodes.error.status === undefined) continue;
    const names = episodes.ok ? new Set(episodes.value.map(({ name }) => name)) : undefined;
    const arrived = rows.filter((row) => row.group === group && (names?.has(row.message.name) ?? true));
    hasSeen ||= arrived.length > 0;
    const seen = await write(db, () => moveRows(db, "see", { seqs: arrived.map(({ seq }) => seq) }));
    if (!seen.ok) return seen;
  }
  return ok(hasSeen);
}

const probeGroup = (endpoint: string): string => `everlong_probe_${hash("sha256", endpoint).slice(0, 16)}`;
const PROBE_NAME = "everlong.probe";

const probeArrived = async ({ client }: ConfirmParts, signal: AbortSignal): Promise<boolean> => {
  const episodes = await client.episodes(probeGroup(client.endpoint), 1, signal);
  return episodes.ok && episodes.value.some(({ name }) => name === PROBE_NAME);
};

/** A message of no conversation in a group of its own: when it is stored, whatever came before it was stored or lost. */
async function postProbe({ client, now }: ConfirmParts, signal: AbortSignal): Promise<void> {
  const message: GraphitiMessage = {
    content: "Everlong asks whether messages are stored.",
    name: PROBE_NAME,
    role_type: "system",
    role: "everlong",
    timestamp: new Date(now()).toISOString(),
    source_description: "everlong:probe",
  };
  await client.add(probeGroup(client.endpoint), [message], hash("sha256", `${PROBE_NAME} ${now()}`), signal);
}

const cleanUp = ({ client }: ConfirmParts, signal: AbortSignal) =>
  client.ask("DELETE", `/group/${probeGroup(client.endpoint)}`, signal);
