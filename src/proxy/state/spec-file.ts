// Where spec mode of a session stands, as it is kept.
import { constants, lstatSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultAt, faultOf } from "../../store/fault.ts";

const stored = z.object({
  /** Unset: as the setting says. */
  mode: z.enum(["on", "off"]).optional(),
  approved: z.boolean(),
  /** When the latest change was made, and by which way. */
  time: z.string(),
  way: z.enum(["header", "api", "cli", "dashboard"]),
});
export type Spec = z.infer<typeof stored>;
export type SpecWay = Spec["way"];
const specPath = (dir: string): string => join(dir, "spec.json");
const MOST_BYTES = 16 * 1024;

/** Undefined when there is none. */
export async function readSpec(dir: string): Promise<Result<Spec | undefined, Fault>> {
  const path = specPath(dir);
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) return ok(undefined);
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
      const spec = parseSpec(buffer.toString("utf8", 0, bytesRead));
      return spec ? ok(spec) : fail(faultAt("store_corrupt", path, "it is not what was written there"));
    } finally {
      await file.close();
    }
  } catch (error) {
    const problem = faultOf(error, path);
    return problem.code === "not_found" ? ok(undefined) : fail(problem);
  }
}

export const specLine = (spec: Spec): string => `${JSON.stringify(spec)}\n`;

/** Undefined when it is not what was written there. */
export function parseSpec(text: string): Spec | undefined {
  const json = parseJson(text);
  const spec = stored.safeParse(json.ok ? json.value : undefined);
  return spec.success ? spec.data : undefined;
}
