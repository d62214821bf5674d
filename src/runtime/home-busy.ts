// What a person is told when home is in use by other processes.
import { type Failure, refusal } from "../base/failure.ts";
import { homeLockPath, lockHolders } from "../store/home-lock.ts";

export function homeBusy(home: string): Failure {
  const pids = lockHolders(homeLockPath(home)).filter((pid) => pid !== process.pid);
  const who = pids.length === 0 ? "another everlong" : `process ${pids.join(", ")}`;
  return refusal(
    "home_in_use",
    `${home} is in use by ${who}.`,
    "End your sessions and the gateway first, then try again.",
  );
}
