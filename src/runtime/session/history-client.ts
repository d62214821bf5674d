// The history of an open session, for a face: compact it, take that back, go back in it.

import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import { sessionPaths } from "../../host/paths.ts";
import { compactManually, describeCompaction } from "../../session/compact-now.ts";
import { cancelCompaction } from "../../session/compaction.ts";
import { previewFiles } from "../../session/restore-files.ts";
import {
  planRewind,
  type RewindFiles,
  type RewindReport,
  restoreLeft,
  rewind,
  rewindRefusal,
} from "../../session/rewind.ts";
import { exclusively } from "../../session/run.ts";
import type { Session } from "../../session/session.ts";
import { undoCompaction } from "../../session/undo-compaction.ts";
import type { Agents } from "../agent/agents.ts";
import type { ResultPromise } from "../client/open.ts";
import type { Client } from "../client/session.ts";
import type { Sidekicks } from "../sidekick/sidekicks.ts";
import { metaOf } from "./checkpoints.ts";
import { goBack, rewindReport } from "./go-back.ts";
import type { ModelInForce } from "./model-in-force.ts";
import type { SessionResources } from "./resources.ts";
import { restoreTodos } from "./tools.ts";

type HistoryServices = Pick<SessionResources, "paths" | "updateIndex"> & {
  session: Session;
  model: Pick<ModelInForce, "target">;
  agents: Agents;
  sidekicks: Pick<Sidekicks, "cancel">;
};

const nothingRuns: Failure = refusal("nothing_running", "No compaction is running.", "Start one with /compact.");

/** It drives the main agent between its turns too. */
const fleetRuns: Failure = {
  code: "already_running",
  what: "A fleet is running and still needs the messages that would go.",
  data: "Nothing was changed; the fleet continues.",
  next: "Wait until it ends, or stop it (Ctrl+C twice), then try again.",
  exit: 1,
};

export function historyClient(services: HistoryServices): Client["history"] {
  const { session } = services;
  return {
    async compact(focus) {
      const outcome = await compactManually(session, focus);
      if (!outcome.ok) return outcome;
      const last = session.state.checkpoints.at(-1);
      return ok(describeCompaction(outcome.value, last ? metaOf(last).title : ""));
    },
    async cancel() {
      const cancelled = await cancelCompaction(session, "user");
      return cancelled ? ok("The compaction was cancelled; the conversation is unchanged.") : fail(nothingRuns);
    },
    undo: () => undoCompaction(session),
    preview(to) {
      const plan = planRewind(session.state, to);
      if (!plan.ok) return plan;
      const { prompts, files } = plan.value;
      return ok({ prompts, files: previewFiles(files, sessionPaths(session.dir).snapshots, false) });
    },
    rewind: (to, files = "stay") => rewindOpen(services, to, files),
  };
}

async function rewindOpen(
  services: HistoryServices,
  to: string | undefined,
  files: RewindFiles,
): ResultPromise<RewindReport> {
  const { session } = services;
  if (files === "overwrite") {
    const refused = rewindRefusal(session);
    if (refused) return refused;
    const left = await exclusively(session, () => restoreLeft(session, to), "turn");
    if (left) return ok(left);
  }
  const planned = planRewind(session.state, to);
  if (!planned.ok) return planned;
  if (services.agents.workflows.fleet.isRunning()) return fail(fleetRuns);
  // News of the agents that it stops must not begin a turn in a conversation that goes back.
  return rewindRefusal(session) ?? exclusively(session, () => undoTo(services, to, files), "turn");
}

async function undoTo(
  services: HistoryServices,
  to: string | undefined,
  files: RewindFiles,
): ResultPromise<RewindReport> {
  const { session } = services;
  await cancelSince(services, to);
  await services.sidekicks.cancel("the conversation went back");
  const plan = await goBack(session, services.model.target.id, () => rewind(session, to, files));
  if (!plan.ok) return plan;
  restoreTodos(session, services.paths);
  await services.updateIndex();
  return ok(rewindReport(plan.value));
}

/** Until none of those that go is left: one of them may have started another meanwhile. */
async function cancelSince(services: HistoryServices, to: string | undefined): Promise<void> {
  for (let rounds = 0; rounds < 5; rounds++) {
    const plan = planRewind(services.session.state, to);
    const open = plan.ok ? plan.value.agents.filter((id) => services.agents.isOpen(id)) : [];
    if (open.length === 0) return;
    await services.agents.cancel(open, "the conversation went back");
  }
}
