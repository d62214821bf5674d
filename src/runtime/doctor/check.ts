// One check of `everlong doctor`: what it looks at, what it found, and how it mends that.
import type { DoctorView } from "./view.ts";

export type CheckStatus = "ok" | "warn" | "fail";
export type CheckFinding = {
  status: CheckStatus;
  finding: string;
  /** What to do about it; absent when all is well. */
  fix?: string;
};

/** Asks a person; false where nobody is there to answer. */
export type Confirm = (question: string) => Promise<boolean>;

export type DoctorCheck = {
  name: string;
  /** Changes nothing on disk and touches the network only when the view is online. */
  look: (view: DoctorView) => CheckFinding | Promise<CheckFinding>;
  /** Mends what look found, and says what it did, a sentence each. */
  mend?: (view: DoctorView, confirm: Confirm) => Promise<string[]>;
};

export type CheckResult = CheckFinding & { name: string; mended?: string[] };

export const allWell = (finding: string): CheckFinding => ({ status: "ok", finding });
export const warning = (finding: string, fix: string): CheckFinding => ({ status: "warn", finding, fix });
export const failure = (finding: string, fix: string): CheckFinding => ({ status: "fail", finding, fix });

export const FIX = "everlong doctor --fix";

/** The first few of a list, and how many more there are. */
export function some(items: readonly string[], most = 3): string {
  const more = items.length - most;
  return `${items.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export const plural = (count: number, word: string, many = `${word}s`): string =>
  `${count} ${count === 1 ? word : many}`;
