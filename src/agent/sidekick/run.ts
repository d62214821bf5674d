// One run of a sidekick: a union by state, and the one function that moves it on.

type SidekickRecord = {
  name: string;
  /** `sidekick-<name>-<ms>`. */
  agentId: string;
  startedMs: number;
  tokens: number;
  sends: number;
};
type Running = SidekickRecord & { state: "running" };
export type SidekickRun =
  | { state: "skipped"; name: string; reason: string }
  | Running
  | (SidekickRecord & { state: "sent" | "silent" | "over_budget"; endedMs: number })
  | (SidekickRecord & { state: "cancelled"; reason: string; endedMs: number })
  | (SidekickRecord & { state: "failed"; code: string; message: string; endedMs: number });
export type StartedRun = Exclude<SidekickRun, { state: "skipped" }>;

export type RunChange =
  | { type: "spent"; tokens: number }
  | { type: "sent" }
  | { type: "done"; atMs: number }
  | { type: "over_budget"; atMs: number }
  | { type: "cancel"; reason: string; atMs: number }
  | { type: "fail"; code: string; message: string; atMs: number };

/** An ended run stays as it ended; tokens that were still on their way are counted all the same. */
export function transition(run: StartedRun, change: RunChange): StartedRun {
  if (change.type === "spent") return { ...run, tokens: run.tokens + change.tokens };
  if (run.state !== "running") return run;
  switch (change.type) {
    case "sent":
      return { ...run, sends: run.sends + 1 };
    case "done":
      return { ...run, state: run.sends > 0 ? "sent" : "silent", endedMs: change.atMs };
    case "over_budget":
      return { ...run, state: "over_budget", endedMs: change.atMs };
    case "cancel":
      return { ...run, state: "cancelled", reason: change.reason, endedMs: change.atMs };
    case "fail":
      return { ...run, state: "failed", code: change.code, message: change.message, endedMs: change.atMs };
  }
}
