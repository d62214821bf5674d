// What a tool was when it was last seen here: one whose words or schema changed since must be approved again.
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { canonicalJson } from "../base/json.ts";
import { changeState, type PermissionFile, readState } from "../permission/state-file.ts";
import type { UpdateFile } from "../settings/write.ts";
import type { ListedTool } from "./connection.ts";

/** The fingerprints by `server/tool`. */
export type Fingerprints = Readonly<Record<string, string>>;

export function fingerprintOf({ description, inputSchema, readOnly }: ListedTool): string {
  const text = canonicalJson({ description, inputSchema, readOnly });
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** Names in `now` whose fingerprint is another one in `before`; new ones were never approved. */
export const changedTools = (before: Fingerprints, now: Fingerprints): string[] =>
  Object.keys(now).filter((name) => Object.hasOwn(before, name) && before[name] !== now[name]);

const seen = z.looseObject({
  version: z.literal(1),
  /** The fingerprints by the root of the place where approvals are kept. */
  places: z.record(z.string(), z.record(z.string(), z.string())),
});
type Seen = z.infer<typeof seen>;

const file = (everlongHome: string): PermissionFile<Seen> => ({
  path: join(everlongHome, "mcp-tools.json"),
  schema: seen,
  empty: { version: 1, places: {} },
});

/** Nothing is known of a place, or when the record cannot be read. */
export async function readFingerprints(everlongHome: string, root: string): Promise<Fingerprints> {
  const state = await readState(file(everlongHome));
  return state.ok ? (state.value.places[root] ?? {}) : {};
}

export function saveFingerprints(everlongHome: string, root: string, now: Fingerprints, update: UpdateFile) {
  const add = (state: Seen): Seen => ({
    ...state,
    places: { ...state.places, [root]: { ...state.places[root], ...now } },
  });
  return changeState(file(everlongHome), add, update);
}
