// Checkpoints of a session as people see them: files, index, list; all made from the log and made again when missing.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
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
import { latestSession, lookUpSession } from "../store.ts";
import { openWorkspace } from "../workspace.ts";

type Redact = (text: string) => string;

export const NO_CHECKPOINTS = "There are no checkpoints: they are written when the conversation is compacted.";

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
  const known = new Set([...state.checkpointFiles, "index.md"]);
  const found = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of found) if (name.endsWith(".md") && !known.has(name)) rmSync(join(folder, name));
  const rows = state.checkpoints.map((c) => ({
    ...metaOf(c),
    file: fileOf(c),
    state: c.undone ? ("undone" as const) : ("live" as const),
  }));
  await atomicWrite(join(folder, "index.md"), redact(checkpointIndex(rows)), { private: true });
}

/** All of them as a list, or one as its text. */
export function showCheckpoints(state: SessionState, redact: Redact, wanted: string): Result<string, Failure> {
  if (state.checkpoints.length === 0) return ok(NO_CHECKPOINTS);
  if (wanted === "") {
    const rows = state.checkpoints
      .map(metaOf)
      .map(
        (m) => `${m.number}  ${m.created.slice(0, 16).replace("T", " ")}  t${m.turns.from}-t${m.turns.to}  ${m.title}`,
      );
    return ok(redact(rows.join("\n")));
  }
  const one = state.checkpoints.find((c) => String(c.data.checkpointNumber) === wanted);
  if (one) return ok(redact(textOf(one)));
  const numbers = state.checkpoints.map((c) => c.data.checkpointNumber);
  return fail({
    code: "no_such_checkpoint",
    what: `There is no checkpoint ${wanted}.`,
    data: "Nothing was changed.",
    next: `There are ${numbers.join(", ")}.`,
    exit: 1,
  });
}

/** `everlong checkpoints [SESSION] [N]`; without a session the latest of this folder. A lone number is a checkpoint's. */
export async function checkpointsCommand(
  session: string | undefined,
  number: string | undefined,
  options: { json?: boolean },
): Promise<Result<string | { json: unknown }, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { paths, redact, root, indexing } = workspace.value;
  const lone = number === undefined && session !== undefined && /^\d{1,3}$/.test(session);
  const id =
    session === undefined || lone
      ? await latestSession(root, paths, indexing)
      : await lookUpSession(session, paths, indexing);
  if (!id.ok) return id;
  if (id.value === undefined) return ok(options.json ? { json: [] } : NO_CHECKPOINTS);
  const read = await readSession(paths.session(id.value));
  if (!read.ok) return read;
  const state = replay(read.value.events);
  await writeCheckpoints(paths.session(id.value), state, redact);
  const wanted = (lone ? session : number) ?? "";
  if (!options.json) return showCheckpoints(state, redact, wanted);
  const rows = state.checkpoints.filter((c) => wanted === "" || String(c.data.checkpointNumber) === wanted);
  return ok({
    json: rows.map((c) => ({ ...metaOf(c), file: fileOf(c), ...(wanted === "" ? {} : { text: redact(textOf(c)) }) })),
  });
}
