// Approvals for a location: rules that a person gave to one root, kept in EVERLONG_HOME/permissions.json.
import { join } from "node:path";
import * as z from "zod";
import type { Failure } from "../base/failure.ts";
import { ok, type Result } from "../base/result.ts";
import type { Rule } from "../schema/permission.ts";
import type { UpdateFile } from "../settings/write.ts";
import { parseRule } from "./rule.ts";
import { changeState, type PermissionFile, readState } from "./state-file.ts";

const approvals = z.looseObject({ version: z.literal(1), locations: z.record(z.string(), z.array(z.string())) });
type Approvals = z.infer<typeof approvals>;

const file = (everlongHome: string): PermissionFile<Approvals> => ({
  path: join(everlongHome, "permissions.json"),
  schema: approvals,
  empty: { version: 1, locations: {} },
});

/** `root`: the real git root, else the folder. A rule that no longer parses is left out, which only asks more. */
export async function locationApprovals(everlongHome: string, root: string): Promise<Result<Rule[], Failure>> {
  const state = await readState(file(everlongHome));
  if (!state.ok) return state;
  return ok((state.value.locations[root] ?? []).map(parseRule).flatMap((r) => (r.ok ? [r.value] : [])));
}

export const addLocationApprovals = (
  everlongHome: string,
  root: string,
  rules: readonly string[],
  update: UpdateFile,
): Promise<Result<unknown, Failure>> =>
  changeRules(everlongHome, root, (before) => [...new Set([...before, ...rules])], update);

/** Takes back some rules of a location; the others stay. */
export const dropLocationApprovals = (
  everlongHome: string,
  root: string,
  rules: readonly string[],
  update: UpdateFile,
): Promise<Result<unknown, Failure>> =>
  changeRules(everlongHome, root, (before) => before.filter((rule) => !rules.includes(rule)), update);

export const resetLocationApprovals = (
  everlongHome: string,
  root: string,
  update: UpdateFile,
): Promise<Result<unknown, Failure>> => changeRules(everlongHome, root, () => [], update);

/** A location without rules is not kept. */
function changeRules(
  everlongHome: string,
  root: string,
  change: (before: readonly string[]) => string[],
  update: UpdateFile,
): Promise<Result<unknown, Failure>> {
  const changed = (state: Approvals): Approvals => {
    const { [root]: before = [], ...others } = state.locations;
    const rules = change(before);
    return { ...state, locations: rules.length > 0 ? { ...others, [root]: rules } : others };
  };
  return changeState(file(everlongHome), changed, update);
}
