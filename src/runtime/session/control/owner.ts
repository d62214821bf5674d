// Which process has a session open, as its lock file says; a process that is gone has nothing.
import { hostname } from "node:os";
import { join } from "node:path";
import { errorCode } from "../../../base/failure.ts";
import type { HomePaths } from "../../../host/paths.ts";
import { readHolder } from "../../../store/lock.ts";

export function ownerOf(paths: HomePaths, session: string): number | null {
  const holder = readHolder(join(paths.session(session).dir, "session.lock"));
  if (!holder || holder.host !== hostname()) return null;
  try {
    process.kill(holder.pid, 0);
    return holder.pid;
  } catch (error) {
    return errorCode(error) === "EPERM" ? holder.pid : null;
  }
}
