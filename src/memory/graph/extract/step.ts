// Numbered steps of a procedure: each follows the one before it.
import { clip } from "../../../base/text.ts";
import { type EntityDraft, type FactDraft, MAX_FACT_TEXT, MAX_NAME } from "./draft.ts";
import { IMPERATIVES, TOOLS } from "./word-list.ts";

/** Only a title that announces a procedure makes one of a numbered list: most lists are opinions or plans. */
const TITLE =
  /\b(?:steps?|how to|how (?:we|i)|procedure|process|instructions?|runbook|playbook|checklist|workflow)\b|^to [a-z]+/i;
const NO_PROCEDURE =
  /\?|\b(?:plan|todo|to do|ideas?|options?|problems?|issues|questions?|my next|next steps|remaining|would|could|might)\b/i;
const LEAD = /^(?:first|then|next|finally|lastly|now|and|afterwards)[, ]+/i;

/** None when the list is no procedure. */
export function readSteps(title: string, steps: readonly string[], at: string): FactDraft[] {
  if (!TITLE.test(title) || NO_PROCEDURE.test(title)) return [];
  const names = steps.map((step) =>
    step
      .replace(LEAD, "")
      .replace(/[.;,]+$/, "")
      .slice(0, MAX_NAME),
  );
  if (!names.every(isOrder)) return [];
  return names.slice(1).flatMap((name, i): FactDraft[] => {
    const before = names[i] ?? "";
    if (name.toLowerCase() === before.toLowerCase()) return [];
    const text = clip(`${title.replace(/[\s:]+$/, "")}: "${name}" follows "${before}"`, MAX_FACT_TEXT);
    return [{ subject: procedure(name), relation: "FOLLOWS", object: procedure(before), text, validAt: at }];
  });
}

const procedure = (name: string): EntityDraft => ({ name, label: "Procedure" });

/** A command is written in small letters: "npm run build" is a step, "Docker is installed" is none. */
const isOrder = (step: string): boolean =>
  step.startsWith("`") ||
  TOOLS.has(/^[a-z]+(?= [-\w./])/.exec(step)?.[0] ?? "") ||
  IMPERATIVES.has(/^[A-Za-z]+/.exec(step)?.[0]?.toLowerCase() ?? "");
