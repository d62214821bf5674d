// What a person is told when home is in use by other processes.
import type { Failure } from "../base/failure.ts";
import { homeLockPath, lockHolders } from "../store/home-lock.ts";

export function homeHeld(home: string): Failure {
  const pids = lockHolders(homeLockPath(home)).filter((pid) => pid !== process.pid);
  const who = pids.length === 0 ? "another everlong" : `process ${pids.join(", ")}`;
  return {
    code: "home_in_use",
    what: `${home} is in use by ${who}.`,
    data: "Nothing was changed.",
    next: "End your sessions and the gateway first, then try again.",
    exit: 1,
  };
}
