// Checkpoints of a session as people see them: files, index, list; all made from the log and made again when missing.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { ok } from "../../base/result.ts";
import {
  type CheckpointMeta,
  checkpointFile,
  checkpointFileName,
  checkpointIndex,
  checkpointTitle,
} from "../../context/compact/checkpoint.ts";
import { parseSummary } from "../../context/compact/summary.ts";
import type { SessionPaths } from "../../host/paths.ts";
import { readSession } from "../../session/read-session.ts";
import { replay } from "../../session/replay.ts";
import type { Checkpoint, SessionState } from "../../session/state.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import type { ResultPromise } from "../client/open.ts";
import { latestSession, lookUpSession } from "../store.ts";
import { openWorkspace } from "../workspace.ts";

type Redact = (text: string) => string;

/** A summary that a compaction has written, without secrets. */
export type CheckpointView = CheckpointMeta & { file: string; text: string };

export function metaOf({ data, timestamp }: Checkpoint): CheckpointMeta {
  return {
    number: data.checkpointNumber ?? 0,
    title: checkpointTitle(parseSummary(data.summaryContent ?? "")),
    created: timestamp,
    trigger: data.trigger,
    model: data.model,
    turns: { from: data.compactedTurns?.from ?? 0, to: data.compactedTurns?.to ?? 0 },
    tokensBefore: data.preCompactionTokens,
    tokensAfter: data.postCompactionTokens,
    attemptId: data.compactionAttemptId,
  };
}

const textOf = (checkpoint: Checkpoint): string =>
  checkpointFile(metaOf(checkpoint), parseSummary(checkpoint.data.summaryContent ?? ""));

const fileOf = (checkpoint: Checkpoint): string => {
  const { number, title } = metaOf(checkpoint);
  // Older logs name the file alone, newer ones its whole path, which a moved home has changed.
  return basename(checkpoint.data.checkpointPath ?? checkpointFileName(number, title));
};

/** index.md and every file that an event names; files that no event names are left-overs of a crash and go. */
export async function writeCheckpoints(paths: SessionPaths, state: SessionState, redact: Redact): Promise<void> {
  const folder = paths.checkpoints;
  if (state.checkpointFiles.length === 0 && !existsSync(folder)) return;
  for (const checkpoint of state.checkpoints) {
    const path = join(folder, fileOf(checkpoint));
    if (!existsSync(path)) await atomicWrite(path, redact(textOf(checkpoint)), { private: true });
  }
  const expected = new Set([...state.checkpointFiles, "index.md"]);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of files) if (name.endsWith(".md") && !expected.has(name)) rmSync(join(folder, name));
  const rows = state.checkpoints.map((c) => ({
    ...metaOf(c),
    file: fileOf(c),
    state: c.undone ? ("undone" as const) : ("live" as const),
  }));
  await atomicWrite(join(folder, "index.md"), redact(checkpointIndex(rows)), { private: true });
}

export const checkpointViews = ({ checkpoints }: SessionState, redact: Redact): CheckpointView[] =>
  checkpoints.map((one) => {
    const meta = metaOf(one);
    return { ...meta, title: redact(meta.title), file: fileOf(one), text: redact(textOf(one)) };
  });

/** The checkpoints of a stored session, or of the latest of this folder; without a session there are none. */
export async function storedCheckpoints(session: string | undefined): ResultPromise<CheckpointView[]> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { paths, redact, root, indexing } = workspace.value;
  const id = await (session === undefined
    ? latestSession(root, paths, indexing)
    : lookUpSession(session, paths, indexing));
  if (!id.ok) return id;
  if (id.value === undefined) return ok([]);
  const read = await readSession(paths.session(id.value));
  if (!read.ok) return read;
  const state = replay(read.value.events);
  await writeCheckpoints(paths.session(id.value), state, redact);
  return ok(checkpointViews(state, redact));
}
