// What rem-agent is told: a fixed prompt, and the contract of its work with the evidence for it.
import contract from "./contract.md";
import fixed from "./prompt.md";

/** Whatever a call passed. */
export const CONSOLIDATION_PROMPT = fixed.trim();

export const consolidationText = (evidence: string): string => `${contract.trim()}\n\n${evidence}`;
