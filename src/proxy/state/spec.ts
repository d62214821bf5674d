// Spec mode: a session's agent writes a specification first and waits until somebody approves it from outside.
import { optional } from "../../base/optional.ts";
import type { Headers } from "../contract.ts";
import asking from "./spec-asking.md";
import type { Spec, SpecWay } from "./spec-file.ts";

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
  change: SpecChange,
  by: { time: string; way: SpecWay },
): Spec | undefined {
  const mode = change.mode ?? now?.mode;
  const begins = change.mode === "on" && now?.mode === "off";
  const approved = change.approved ?? (begins ? false : (now?.approved ?? false));
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
