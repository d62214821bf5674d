// The history of an open session, for a face: compact it, take that back, go back in it.
import type { Failure } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import { compactManually, describeCompaction } from "../../session/compact-now.ts";
import { cancelCompaction } from "../../session/compaction.ts";
import { planRewind, type RewindPlan, rewind, rewindRefusal } from "../../session/rewind.ts";
import { exclusively } from "../../session/run.ts";
import { undoCompaction } from "../../session/undo-compaction.ts";
import { keepSelection, selection } from "../agent/select-agent.ts";
import type { Client, CommandResult } from "../client.ts";
import { metaOf } from "./checkpoints.ts";
import type { LiveSession } from "./live-session.ts";

const nothingRuns: Failure = {
  code: "nothing_running",
  what: "No compaction is running.",
  data: "Nothing was changed.",
  next: "Start one with /compact.",
  exit: 1,
};

/** It drives the main agent between its turns too. */
const fleetRuns: Failure = {
  code: "already_running",
  what: "A fleet is running in this session, and it works from messages that would go.",
  data: "Nothing was changed, and the fleet goes on.",
  next: "Wait for its end, or stop it (Ctrl+C twice), then go back.",
  exit: 1,
};

export function historyClient(live: LiveSession): Client["history"] {
  const { session } = live;
  return {
    async compact(focus) {
      const done = await compactManually(session, focus);
      if (!done.ok) return done;
      const last = session.state.checkpoints.at(-1);
      return ok(describeCompaction(done.value, last ? metaOf(last).title : ""));
    },
    async cancel() {
      const cancelled = await cancelCompaction(session, "user");
      return cancelled ? ok("The compaction was cancelled; the conversation is unchanged.") : fail(nothingRuns);
    },
    undo: () => undoCompaction(session),
    rewind: (to, preview = false) => goBack(live, to, preview),
  };
}

async function goBack(live: LiveSession, to: string | undefined, preview: boolean): Promise<CommandResult> {
  const { session } = live;
  const planned = planRewind(session.state, to);
  if (!planned.ok) return planned;
  const note = "/rewind N goes back N messages; 1 would take back:";
  if (preview) return ok([note, ...goneLines(planned.value)].join("\n"));
  if (live.agents.workflows.fleet.isRunning()) return fail(fleetRuns);
  // News of the agents that it stops must not begin a turn in a conversation that goes back.
  return rewindRefusal(session) ?? exclusively(session, () => undoTo(live, to), "turn");
}

async function undoTo(live: LiveSession, to: string | undefined): Promise<CommandResult> {
  const { session } = live;
  const { state } = session;
  const { mode } = state;
  const agent = selection(state);
  await cancelSince(live, to);
  await live.sidekicks.cancel("the conversation went back");
  const plan = await rewind(session, to);
  if (!plan.ok) return plan;
  // What is in force stays in force: the conversation goes back, not the user's choices.
  if (state.model !== live.target.id) {
    await session.emit("session.model_change", {
      previousModel: state.model,
      newModel: live.target.id,
      cause: "rewind",
    });
  }
  await keepSelection(session, agent);
  await live.setMode(mode);
  await live.restoreTodos();
  await live.updateIndex();
  const gone = goneLines(plan.value);
  const note = "They stay in the log and can be found by recall. Files and what commands did are not undone.";
  const count = `${gone.length} message${gone.length === 1 ? "" : "s"}`;
  return ok([`Went back; ${count} left the conversation:`, ...gone, note].join("\n"));
}

/** Until none of those that go is left: one of them may have started another meanwhile. */
async function cancelSince(live: LiveSession, to: string | undefined): Promise<void> {
  for (let rounds = 0; rounds < 5; rounds++) {
    const plan = planRewind(live.session.state, to);
    const open = plan.ok ? plan.value.agents.filter((id) => live.agents.isOpen(id)) : [];
    if (open.length === 0) return;
    await live.agents.cancel(open, "the conversation went back");
  }
}

const goneLines = ({ prompts }: RewindPlan): string[] =>
  prompts.map((p) => `${p.ref}: ${p.content.split("\n", 1)[0]?.slice(0, 80)}`);
