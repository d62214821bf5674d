// What waits for the user: pending memories to accept, replace or reject; edits to take back.

import { isRecord } from "../../base/json.ts";
import { fail, ok } from "../../base/result.ts";
import { resolveRecord } from "../../memory/record/change.ts";
import type { MemoryChange, MemoryRecord, Resolution } from "../../memory/record/contract.ts";
import type { CommandResult } from "../command-result.ts";
import { changedFields, type Hands, saveEdit, scopeText } from "./change.ts";
import {
  type Desk,
  machineFailure,
  placeOf,
  recordOf,
  recordsOf,
  refused,
  refusedWhenOff,
  strategyOf,
  usage,
  type Where,
} from "./desk.ts";
import type { MemoryFields } from "./edit.ts";
import { jsonLines, toFailure, unknownId } from "./text.ts";

export type ReviewFlags = Where & { accept?: string; reject?: string; replace?: string; old?: string; json?: boolean };

/** Without a flag: those that wait, one after another where somebody can answer. */
export async function reviewMemories(desk: Desk, flags: ReviewFlags, hands: Hands): Promise<CommandResult> {
  const { accept, reject, replace, old, json, ...where } = flags;
  const named = [accept, reject, replace].filter((one) => one !== undefined);
  if (named.length > 1) return usage("One of --accept, --replace and --reject is possible.", "Call it once for each.");
  if (accept !== undefined) return resolve(desk, accept, { how: "accept" }, where);
  if (reject !== undefined) return resolve(desk, reject, { how: "reject" }, where);
  if (replace !== undefined) {
    if (old === undefined)
      return usage("--replace needs --old ID, the memory that it stands for.", "everlong memory search finds it.");
    return resolve(desk, replace, { how: "replace", old }, where);
  }
  const found = await recordsOf(desk, where, { status: ["pending"] });
  if (!found.ok) return found;
  const { records } = found.value;
  if (json) return ok(jsonLines(records));
  if (records.length === 0) return ok("No memory waits for you.");
  return hands.ask ? walk(desk, records, where, hands.ask) : ok(`${records.map(pendingText).join("\n\n")}\n\n${HOW}`);
}

const HOW =
  "They are not in use until you decide: everlong memory review --accept ID | --replace ID --old ID | --reject ID";

/** Whole, with what its words come from: that is what is decided on. */
function pendingText({ id, fact, reason, citations, source, ...record }: MemoryRecord): string {
  const origins = source.origins.map(({ kind, ref }) => (ref === undefined ? kind : `${kind} (${ref})`)).join(", ");
  const call = [source.sessionId, source.turnId, source.toolCallId].filter(Boolean).join(" ");
  return [
    `${id}  ${scopeText({ id, fact, reason, citations, source, ...record })}  ${record.subject}`,
    `  fact: ${fact}`,
    ...citations.map(({ raw }) => `  cited: ${raw}`),
    `  reason: ${reason}`,
    `  from: ${origins} by ${source.client}${call === "" ? "" : `, ${call}`}`,
  ].join("\n");
}

async function walk(
  desk: Desk,
  records: readonly MemoryRecord[],
  where: Where,
  ask: NonNullable<Hands["ask"]>,
): Promise<CommandResult> {
  const said: string[] = [];
  for (const record of records) {
    const answer = (await ask(`${pendingText(record)}\naccept, reject, replace ID, or Enter for later: `))?.trim();
    if (answer === undefined) break;
    const [verb = "", old = ""] = answer.split(/\s+/);
    const how: Resolution | undefined =
      verb === "accept" || verb === "reject" ? { how: verb } : verb === "replace" ? { how: verb, old } : undefined;
    const done = how && (await resolve(desk, record.id, how, where));
    said.push(done === undefined ? `${record.id} waits.` : done.ok ? done.value : done.error.what);
  }
  return ok(said.join("\n"));
}

async function resolve(desk: Desk, id: string, resolution: Resolution, where: Where): Promise<CommandResult> {
  const on = resolution.how === "reject" ? ok(undefined) : refusedWhenOff(desk);
  if (!on.ok) return on;
  const found = await recordOf(desk, id, where);
  if (!found.ok) return found;
  const old = resolution.how === "replace" ? await recordOf(desk, resolution.old, where) : undefined;
  if (old && !old.ok) return old;
  const request = {
    id: found.value.id,
    resolution: old ? { how: "replace" as const, old: old.value.id } : resolution,
    by: { actor: desk.user },
  };
  const done = await resolveRecord(desk.parts, request, desk.signal);
  switch (done.type) {
    case "resolved":
      return ok(RESOLVED[resolution.how](found.value.id, old?.value.id ?? ""));
    case "not_pending":
      return refused(
        "not_pending",
        `${found.value.id} does not wait, or what it should replace is not in use in the same place.`,
        "everlong memory review lists those that wait.",
      );
    case "not_found":
      return fail(unknownId(id));
    case "failure":
      return fail(toFailure(done));
  }
}

const RESOLVED = {
  accept: (id: string) => `${id} is accepted: it counts from the next session on.`,
  replace: (id: string, old: string) => `${id} is accepted; ${old} is superseded by it, and kept.`,
  reject: (id: string) => `${id} is rejected and its text deleted.`,
};

const UNDO_OTHERWISE: Record<Exclude<MemoryChange["action"], "edit">, string> = {
  store: "everlong memory delete takes a memory away.",
  vote: "Vote the other way.",
  status: "everlong memory review decides on those that wait.",
  delete: "What was deleted is gone; add it again.",
};

/** Of edits: the texts before it come back as a new version. */
export async function undoChange(
  desk: Desk,
  wanted: string,
  flags: Where & { force?: boolean },
): Promise<CommandResult> {
  const on = refusedWhenOff(desk);
  if (!on.ok) return on;
  const strategy = await strategyOf(desk);
  if (!strategy.ok) return strategy;
  const place = placeOf(desk, flags);
  // The newest that is older than the one behind it: itself, if it is there.
  const after = /^\d{1,15}$/.test(wanted) ? Number(wanted) + 1 : 0;
  const told = await strategy.value.changes({ limit: 1, after, ...(place ? { place } : {}) }, desk.signal);
  if (told.type !== "changes") return fail(machineFailure(told, strategy.value, "tell changes"));
  const change = told.changes.find(({ id }) => String(id) === wanted);
  if (!change) return refused("not_found", `There is no change ${wanted} here.`, "everlong memory changes lists them.");
  if (change.action !== "edit" || !isRecord(change.before))
    return refused(
      "not_undoable",
      `Change ${wanted} (${change.action}) cannot be taken back.`,
      change.action === "edit" ? "Its text was deleted." : UNDO_OTHERWISE[change.action],
    );
  const found = await recordOf(desk, change.memory, { ...flags, all: place === undefined });
  if (!found.ok) return found;
  const isLatest = isRecord(change.after) && change.after["version"] === found.value.version;
  if (!isLatest && !flags.force)
    return refused(
      "conflict",
      `${change.memory} was changed again after change ${wanted}.`,
      "--force takes it back all the same.",
    );
  const before = textsOf(change.before);
  if (!before)
    return refused(
      "not_undoable",
      `What stood before change ${wanted} is not known.`,
      "everlong memory edit changes it.",
    );
  return saveEdit(desk, found.value, changedFields(found.value, before), found.value.version);
}

function textsOf(before: Record<string, unknown>): Required<MemoryFields> | undefined {
  const { subject, fact, reason, citations } = before;
  if (typeof subject !== "string" || typeof fact !== "string" || typeof reason !== "string") return undefined;
  return Array.isArray(citations) ? { subject, fact, reason, citations: citations.map(String) } : undefined;
}
