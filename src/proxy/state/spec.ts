// Spec mode: a session's agent writes a specification first and waits until somebody approves it from outside.
import { constants, lstatSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import { type Fault, faultAt, faultOf } from "../../store/fault.ts";
import type { Headers } from "../contract.ts";
import asking from "./spec-asking.md";

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
export type SpecChange = { mode?: "on" | "off" | undefined; approved?: boolean | undefined };

const ON = new Set(["true", "1", "on", "yes"]);
const OFF = new Set(["false", "0", "off", "no"]);

/** What headers ask for; no other part of a request is looked at. */
export function specAsked(headers: Headers): SpecChange {
  const mode = (headers["x-everlong-spec-mode"] ?? headers["x-cliproxyapi-spec-mode"])?.trim().toLowerCase() ?? "";
  const isApproved = headers["x-everlong-spec-approved"]?.trim().toLowerCase() === "true";
  return {
    ...optional("mode", ON.has(mode) ? "on" : OFF.has(mode) ? "off" : undefined),
    ...optional("approved", isApproved ? true : undefined),
  };
}

/** Undefined when it is as asked already. Spec mode that begins anew waits anew. */
export function changeSpec(
  now: Spec | undefined,
  asked: SpecChange,
  by: { time: string; way: SpecWay },
): Spec | undefined {
  const mode = asked.mode ?? now?.mode;
  const begins = asked.mode === "on" && now?.mode === "off";
  const approved = asked.approved ?? (begins ? false : (now?.approved ?? false));
  if (mode === now?.mode && approved === (now?.approved ?? false)) return undefined;
  return { ...optional("mode", mode), approved, ...by };
}

const WAYS: Record<SpecWay, string> = {
  header: "a header of the client",
  api: "the gateway's API",
  cli: "`everlong proxy spec`",
  dashboard: "the dashboard",
};

/** What the model reads; empty when spec mode is off. */
export function specText(spec: Spec | undefined, settingOn: boolean): string {
  const isOn = spec?.mode === undefined ? settingOn : spec.mode === "on";
  if (!isOn) return "";
  if (!spec?.approved) return asking.trim();
  return `The specification was approved through ${WAYS[spec.way]} at ${spec.time}. Carry it out as written; say so before you depart from it.`;
}

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
      const json = parseJson(buffer.toString("utf8", 0, bytesRead));
      const spec = stored.safeParse(json.ok ? json.value : undefined);
      return spec.success ? ok(spec.data) : fail(faultAt("store_corrupt", path, "it is not what was written there"));
    } finally {
      await file.close();
    }
  } catch (error) {
    const problem = faultOf(error, path);
    return problem.code === "not_found" ? ok(undefined) : fail(problem);
  }
}

export const writeSpec = (dir: string, spec: Spec): Promise<Result<void, Fault>> =>
  atomicWrite(specPath(dir), `${JSON.stringify(spec)}\n`, { private: true });
