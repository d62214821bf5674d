// Files of a rewind: what the agent changed since goes back to what it was; what somebody else changed since is left alone.
import { readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { optional } from "../base/optional.ts";
import { replaceWhole } from "../host/files.ts";
import type { DurableEnvelope } from "../schema/event/envelope.ts";
import type { ChangedFile } from "../schema/event/session.ts";
import { hashOf, storeSnapshot } from "../tool/snapshot.ts";

/** What would become of a file, or why it stays: in words. */
export type FilePreview = {
  path: string;
  action: "restore" | "remove" | "skip";
  why?: string;
  /** It stays only because somebody else wrote in it: `overwrite` puts it back too. */
  isForeign?: true;
};
export type FilesRestored = {
  restored: string[];
  /** `isForeign`: somebody else changed it; with `overwrite` it goes back too. */
  skipped: { path: string; why: string; isForeign?: true }[];
  /** Copies of what somebody else had written and was overwritten as wished. */
  copies: { path: string; copy: string }[];
};

const FOREIGN = "changed since by someone else";
const LOST = "its old text was not kept";

/** `gone`: the events that leave. Agents that stay keep their work. */
export function changedFiles(gone: readonly DurableEnvelope[], withdrawn: readonly string[]): ChangedFile[] {
  const agents = new Set(withdrawn);
  const files = new Map<string, ChangedFile>();
  for (const event of gone) {
    if (event.type !== "tool.execution_complete") continue;
    if (event.agentId !== undefined && !agents.has(event.agentId)) continue;
    for (const { path, operation, snapshot, before = snapshot, after } of event.data.filesChanged ?? []) {
      if (operation === "view") continue;
      const last = files.get(path);
      const old = operation === "create" ? undefined : (snapshot ?? "lost");
      // A file that is made anew holds nothing of anybody else; an edit whose old text nobody noted might.
      const isShared = last !== undefined && (last.isShared || (operation === "edit" && before !== last.after));
      files.set(path, { path, before: last ? last.before : old, after, isShared });
    }
  }
  return [...files.values()];
}

/** Undefined: there is no file. */
function bytesAt(path: string): Buffer | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined;
}

const snapshotOf = (folder: string, name: string): Buffer | undefined => {
  const bytes = bytesAt(join(folder, name));
  return bytes && hashOf(bytes) === name ? bytes : undefined;
};

const isForeign = ({ after, isShared }: ChangedFile, now: Buffer | undefined): boolean =>
  isShared || (now && hashOf(now)) !== after;

export function previewFiles(files: readonly ChangedFile[], folder: string, overwrite: boolean): FilePreview[] {
  return files.flatMap((file): FilePreview[] => {
    const { path, before } = file;
    const now = bytesAt(path);
    const hash = now && hashOf(now);
    if (hash === before) return []; // as it was
    if (before === "lost" || (before !== undefined && !snapshotOf(folder, before)))
      return [{ path, action: "skip", why: LOST }];
    if (!overwrite && isForeign(file, now)) return [{ path, action: "skip", why: FOREIGN, isForeign: true }];
    return [{ path, action: before === undefined ? "remove" : "restore" }];
  });
}

/** `overwrite`: also files that somebody else changed since; what they held is kept beside the snapshots. */
export async function restoreFiles(
  files: readonly ChangedFile[],
  folder: string,
  overwrite: boolean,
): Promise<FilesRestored> {
  const outcome: FilesRestored = { restored: [], skipped: [], copies: [] };
  const plans = new Map(previewFiles(files, folder, overwrite).map((one) => [one.path, one]));
  for (const file of files) {
    const { path, before } = file;
    const plan = plans.get(path);
    if (!plan) continue;
    if (plan.action === "skip") {
      outcome.skipped.push({ path, why: plan.why ?? FOREIGN, ...optional("isForeign", plan.isForeign) });
      continue;
    }
    const now = bytesAt(path);
    if (now && isForeign(file, now)) {
      const copy = await storeSnapshot(folder, now);
      if (copy === undefined) {
        outcome.skipped.push({ path, why: "its present content could not be copied first" });
        continue;
      }
      outcome.copies.push({ path, copy: join(folder, copy) });
    }
    const failure = await putBack(path, before, folder);
    if (failure === undefined) outcome.restored.push(path);
    else outcome.skipped.push({ path, why: failure });
  }
  return outcome;
}

/** Gives why it could not be done. */
async function putBack(path: string, before: string | undefined, folder: string): Promise<string | undefined> {
  if (before === undefined) {
    try {
      await rm(path);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  const bytes = snapshotOf(folder, before);
  if (!bytes) return LOST;
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o7777;
  const written = await replaceWhole(path, bytes, mode);
  return written.ok ? undefined : written.error.message;
}
