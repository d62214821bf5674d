// What rem-agent is told: a fixed prompt, and the contract of its work with the evidence for it.
import { CAPACITY, CROWDED, ROOMY } from "../../schema/board.ts";
import contract from "./contract.md";
import fixed from "./prompt.md";

/** Whatever a call passed. */
export const CONSOLIDATION_PROMPT = fixed.trim();

const RULES = contract
  .trim()
  .replace("{{capacity}}", `${CAPACITY}`)
  .replace("{{crowded}}", `${CROWDED}`)
  .replace("{{roomy}}", `${ROOMY}`);

export const consolidationText = (evidence: string): string => `${RULES}\n\n${evidence}`;
