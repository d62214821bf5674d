// Taking back an edit of a memory: which change, and the texts that were there before it.
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok } from "../../base/result.ts";
import type { MemoryChange, MemoryRecord } from "../../memory/record/contract.ts";
import { changeNumbered, isLatest, textsBefore } from "../../memory/record/undo.ts";
import type { ResultPromise } from "../client/open.ts";
import {
  type MemoryChoice,
  type MemoryTexts,
  machineFailure,
  type OpenMemory,
  placeOf,
  recordOf,
  refused,
  strategyOf,
} from "./open-memory.ts";

/** The record as it is, and the texts that come back. */
export async function beforeChange(
  memory: OpenMemory,
  wanted: string,
  choice: MemoryChoice,
  force: boolean,
): ResultPromise<{ record: MemoryRecord; texts: MemoryTexts }> {
  const change = await changeOf(memory, wanted, choice);
  if (!change.ok) return change;
  const isEverywhere = placeOf(memory, choice) === undefined;
  const got = await recordOf(memory, change.value.memory, { ...choice, all: isEverywhere });
  if (!got.ok) return got;
  const record = got.value;
  if (!isLatest(change.value, record) && !force)
    return refused("conflict", `${record.id} was changed again after change ${wanted}.`, "--force undoes it anyway.");
  const texts = textsBefore(change.value);
  if (texts) return ok({ record, texts });
  return refused("not_undoable", `The text before change ${wanted} is unknown.`, "Use everlong memory edit.");
}

const UNDO_OTHERWISE: Record<Exclude<MemoryChange["action"], "edit">, string> = {
  store: "Use everlong memory delete.",
  vote: "Vote the other way.",
  status: "Use everlong memory review.",
  delete: "What was deleted is gone; add it again.",
};

/** An edit that can be taken back. */
async function changeOf(memory: OpenMemory, wanted: string, choice: MemoryChoice): ResultPromise<MemoryChange> {
  const strategy = await strategyOf(memory);
  if (!strategy.ok) return strategy;
  const { id, query } = changeNumbered(wanted);
  const page = await strategy.value.changes({ ...query, ...optional("place", placeOf(memory, choice)) }, memory.signal);
  if (page.type !== "changes") return fail(machineFailure(page, strategy.value, "tell changes"));
  const change = page.changes.find((one) => one.id === id);
  if (!change) return refused("not_found", `Change not found: ${wanted}.`, "everlong memory changes lists them.");
  if (change.action === "edit" && isRecord(change.before)) return ok(change);
  return refused(
    "not_undoable",
    `Change ${wanted} (${change.action}) cannot be undone.`,
    change.action === "edit" ? "Its text was deleted." : UNDO_OTHERWISE[change.action],
  );
}
