// Going back: one event that takes the target and everything after it off the chain. The file keeps it all.
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { sessionPaths } from "../host/paths.ts";
import type { DurableEnvelope, EventData } from "../schema/event/envelope.ts";
import type { ChangedFile } from "../schema/event/session.ts";
import { cancelCompaction } from "./compaction.ts";
import { tellUsage } from "./prepare.ts";
import { changedFiles, type FilesRestored, previewFiles, restoreFiles } from "./restore-files.ts";
import type { Session } from "./session.ts";
import type { SessionState } from "./state.ts";
import { beginEpoch } from "./window.ts";

type RewindPlan = {
  /** First event to go. */
  target: DurableEnvelope;
  parentId: string;
  eventsRemoved: number;
  /** The prompts that leave, oldest first. */
  prompts: PromptRef[];
  /** Numbers of the compactions that are taken back with them. */
  checkpoints: number[];
  /** Agents that were started since by the main agent, with all below them. */
  agents: string[];
  /** Older agents whose result was told since: it leaves the conversation with the telling. */
  untold: string[];
  /** Files that were changed since. */
  files: ChangedFile[];
};

/** What becomes of files: nothing, or they go back too. `overwrite`: also those that somebody else changed since. */
export type RewindFiles = "stay" | "restore" | "overwrite";
export type PromptRef = { ref: string; content: string };
/** The messages that left the conversation, and what became of files where they were to go back too. */
export type RewindReport = { prompts: PromptRef[]; files?: FilesRestored };
export type RewindOutcome = RewindPlan & { filesRestored: FilesRestored | undefined };

const refuse = (code: string, what: string, next: string): { ok: false; error: Failure } =>
  fail({ code, what, data: "Nothing was changed.", next, exit: 1 });

/** `undefined` = before the last prompt; a number counts prompts back; `tN` or an event id names the place. */
export function planRewind(state: SessionState, to: string | undefined): Result<RewindPlan, Failure> {
  const { chain } = state;
  const prompts = chain.flatMap((e, index) =>
    e.type === "user.message" && e.data.ref && e.agentId === undefined ? [{ e, index }] : [],
  );
  if (prompts.length === 0) return refuse("nothing_to_rewind", "No message to go back to.", "Send one first.");
  let at: number | undefined;
  if (to === undefined) at = prompts.at(-1)?.index;
  else if (/^\d{1,6}$/.test(to)) at = prompts.at(-Number(to))?.index;
  else if (/^t\d+$/.test(to)) at = prompts.find((p) => p.e.data.ref === to)?.index;
  else at = chain.findIndex((e) => e.id === to);
  if (at === undefined || at < 0) {
    const refs = prompts.map((p) => p.e.data.ref).slice(-10);
    return refuse(
      "unknown_event",
      `"${to}" is neither a message nor an event of this session's history.`,
      `Messages: ${refs.join(", ")}.`,
    );
  }
  // The turn's own beginning goes with its first message.
  while (at > 1 && chain[at]?.type === "user.message" && chain[at - 1]?.type === "turn.start") at--;
  const target = chain[at];
  const parent = chain[at - 1];
  if (!target || !parent)
    return refuse("at_the_start", "A session cannot go back before its own start.", "Choose a later event.");
  const removed = prompts.filter((p) => p.index >= (at ?? 0));
  const gone = chain.slice(at);
  const since = agentsSince(gone);
  return ok({
    target,
    parentId: parent.id,
    eventsRemoved: chain.length - at,
    checkpoints: gone.flatMap((e) =>
      e.type === "session.compaction_complete" && e.agentId === undefined && e.data.checkpointNumber
        ? [e.data.checkpointNumber]
        : [],
    ),
    ...since,
    files: changedFiles(gone, since.agents),
    prompts: removed.map((p) => ({ ref: p.e.data.ref ?? "", content: p.e.data.content })),
  });
}

/** An agent that stays keeps the agents that it started. */
function agentsSince(gone: readonly DurableEnvelope[]): Pick<RewindPlan, "agents" | "untold"> {
  const agents = new Set<string>();
  const removed = new Set<string>();
  for (const e of gone) {
    if (e.type === "subagent.started") {
      const { agentId, parentId } = e.data;
      if (parentId === undefined || agents.has(parentId)) agents.add(agentId);
    } else if (e.type === "system.notification") for (const id of e.data.agentIds ?? []) removed.add(id);
    else if (e.type === "subagent.read") removed.add(e.data.agentId);
  }
  return { agents: [...agents], untold: [...removed].filter((id) => !agents.has(id)) };
}

/** A running turn must not lose its ground. */
export const rewindRefusal = ({ live }: Session): { ok: false; error: Failure } | undefined =>
  live.turn.abort && refuse("turn_running", "A turn is running.", "Interrupt it, then rewind.");

/** On the log alone: of a session that no conversation is open on. Files come first: what stops between is done again. */
export async function rewindLog(
  { state, emit, dir }: Pick<Session, "state" | "emit" | "dir">,
  to: string | undefined,
  files: RewindFiles = "stay",
): Promise<Result<RewindOutcome, Failure>> {
  const plan = planRewind(state, to);
  if (!plan.ok) return plan;
  const { snapshots } = sessionPaths(dir);
  const filesRestored =
    files === "stay" ? undefined : await restoreFiles(plan.value.files, snapshots, files === "overwrite");
  const left = leftWith(lastLeft(state), plan.value.files, filesRestored);
  await emit("session.snapshot_rewind", rewindData(plan.value, filesRestored, left), plan.value.parentId);
  return ok({ ...plan.value, filesRestored });
}

/** What the last going back left alone, as long as nothing was said since. `to`: of the one that went there. */
function lastLeft({ chain }: Pick<SessionState, "chain">, to?: string): ChangedFile[] {
  const last = chain.findLast(
    (e) => e.agentId === undefined && (e.type === "user.message" || e.type === "session.snapshot_rewind"),
  );
  if (last?.type !== "session.snapshot_rewind") return [];
  const { filesLeft = [], fromTurn } = last.data;
  return to === undefined || to === `t${fromTurn}` ? filesLeft : [];
}

/** Where a file was left twice, the older text is the one to go back to. */
function leftWith(earlier: ChangedFile[], changed: ChangedFile[], files: FilesRestored | undefined): ChangedFile[] {
  const foreign = new Set(files?.skipped.flatMap(({ path, isForeign }) => (isForeign ? [path] : [])));
  const now = changed.filter(({ path }) => foreign.has(path));
  return [...earlier.filter(({ path }) => !changed.some((file) => file.path === path)), ...now];
}

/** Puts back only what the last going back left; undefined: there is nothing such, and `overwrite` goes back further. */
export async function restoreLeft(
  { state, emit, dir }: Pick<Session, "state" | "emit" | "dir">,
  to: string | undefined,
): Promise<RewindReport | undefined> {
  const { snapshots } = sessionPaths(dir);
  const left = lastLeft(state, to);
  if (!previewFiles(left, snapshots, true).some(({ action }) => action !== "skip")) return undefined;
  const files = await restoreFiles(left, snapshots, true);
  const message = `Restored although someone else had changed them: ${files.restored.join(", ") || "none"}.`;
  await emit("session.info", { infoType: "files_restored", message });
  return { prompts: [], files };
}

/** The caller makes sure that no turn begins meanwhile (`exclusively`). */
export async function rewind(
  session: Session,
  to: string | undefined,
  files: RewindFiles,
): Promise<Result<RewindOutcome, Failure>> {
  const possible = planRewind(session.state, to);
  if (!possible.ok) return possible;
  await cancelCompaction(session, "history_changed");
  const outcome = await rewindLog(session, to, files);
  session.live.window.cut = undefined;
  beginEpoch(session, "rewind");
  await tellUsage(session);
  return outcome;
}

/** The event's data; the index needs to know from which turn on, and which checkpoints go. */
function rewindData(
  plan: RewindPlan,
  files: FilesRestored | undefined,
  filesLeft: ChangedFile[],
): EventData<"session.snapshot_rewind"> {
  const ref = plan.prompts[0]?.ref;
  return {
    upToEventId: plan.target.id,
    eventsRemoved: plan.eventsRemoved,
    filesRestored: files?.restored ?? [],
    filesSkipped: files?.skipped.map(({ path }) => path) ?? [],
    ...(filesLeft.length > 0 ? { filesLeft } : {}),
    ...(ref ? { fromTurn: Number(ref.slice(1)) } : {}),
    withdrawnCheckpoints: plan.checkpoints,
    withdrawnAgents: plan.agents,
    untoldAgents: plan.untold,
  };
}
