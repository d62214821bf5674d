// Noting what the records of an answer say; each wire reads its own fields.
import { isRecord } from "../../base/json.ts";
import type { AnswerFacts, ReportedUsage, WireBody } from "./contract.ts";

/** The newest figure of each kind holds: providers count up. */
export function noteUsage(facts: AnswerFacts, reported: Record<keyof ReportedUsage, unknown>): void {
  for (const kind of ["input", "cached", "output"] as const) {
    const figure = countIn(reported[kind]);
    if (figure !== undefined) facts.usage = { ...facts.usage, [kind]: figure };
  }
}

export function noteError(error: WireBody, facts: AnswerFacts): void {
  // OpenAI has `code`, then `type`; Anthropic has `type`; Gemini has `status`, and a number as its `code`.
  const code = [error["status"], error["code"], error["type"]].find((one) => typeof one === "string" && one !== "");
  if (typeof code === "string") facts.errorCode = code.replace(/[^\w.:-]/g, "_").slice(0, 64);
}

export const countIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;

export const fieldsIn = (value: unknown): WireBody => (isRecord(value) ? value : {});
