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

export function addLocationApprovals(
  everlongHome: string,
  root: string,
  rules: readonly string[],
  update: UpdateFile,
): Promise<Result<unknown, Failure>> {
  const add = (state: Approvals): Approvals => ({
    ...state,
    locations: { ...state.locations, [root]: [...new Set([...(state.locations[root] ?? []), ...rules])] },
  });
  return changeState(file(everlongHome), add, update);
}

/** Takes back some rules of a location; the others stay. */
export function dropLocationApprovals(
  everlongHome: string,
  root: string,
  rules: readonly string[],
  update: UpdateFile,
): Promise<Result<unknown, Failure>> {
  const drop = (state: Approvals): Approvals => ({
    ...state,
    locations: { ...state.locations, [root]: (state.locations[root] ?? []).filter((rule) => !rules.includes(rule)) },
  });
  return changeState(file(everlongHome), drop, update);
}

export function resetLocationApprovals(
  everlongHome: string,
  root: string,
  update: UpdateFile,
): Promise<Result<unknown, Failure>> {
  const reset = (state: Approvals): Approvals => {
    const { [root]: _gone, ...locations } = state.locations;
    return { ...state, locations };
  };
  return changeState(file(everlongHome), reset, update);
}
