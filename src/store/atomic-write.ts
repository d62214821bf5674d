// Whole files: written beside their place, synced, then renamed onto it; never through a link.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { type Fault, faultAt, faultOf } from "./fault.ts";

export type WriteOptions = {
  /** Ours alone: file 0600, new folders 0700. Otherwise an existing file keeps its mode and the umask decides. */
  private: boolean;
};

export async function atomicWrite(
  path: string,
  data: string | Uint8Array | readonly (string | Uint8Array)[],
  options: WriteOptions,
): Promise<Result<void, Fault>> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await mkdir(folder, { recursive: true, mode: options.private ? 0o700 : 0o777 });
    const mode = await modeOf(path);
    if (mode === "unsafe") return fail(faultAt("unsafe_path", path, "it is not a plain file"));
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, options.private ? 0o600 : 0o666);
    try {
      if (!options.private && mode !== undefined) await handle.chmod(mode);
      for (const part of Array.isArray(data) ? data : [data]) await handle.writeFile(part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    await syncFolder(folder);
    return ok(undefined);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // where it cannot be looked for, it was never made
    return fail(faultOf(error, path));
  }
}

async function modeOf(path: string): Promise<number | "unsafe" | undefined> {
  try {
    const stat = await lstat(path);
    return stat.isFile() ? stat.mode & 0o777 : "unsafe";
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The rename itself lives in the folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
