// Ending the process: everything written first, then the exit code of the contract.
import { describeFailure, type Failure } from "../base/failure.ts";

export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export function printFailure(failure: Failure): number {
  process.stderr.write(`${describeFailure(failure)}\n`);
  return failure.exit;
}

let unread = false;

/** A reader of stdout that went away is no bug of ours, but the run was no success either. */
export function watchOutput(): void {
  process.stdout.on("error", () => {
    unread = true;
  });
}

/** Ends once stdout and stderr have been taken over by the system, also when they are pipes. */
export async function exitAfterFlush(code: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(flush));
  process.exit(code === EXIT.done && unread ? EXIT.interrupted : code);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) return resolve();
    stream.once("error", () => resolve());
    stream.write("", () => resolve());
  });
}
