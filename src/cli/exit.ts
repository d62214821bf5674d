// Ending the process: everything written first, then the exit code of the contract.
import { describeFailure, type Failure } from "../base/failure.ts";

export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export function printFailure(failure: Failure): number {
  process.stderr.write(`${describeFailure(failure)}\n`);
  return failure.exit;
}

/** Ends once stdout and stderr have been taken over by the system, also when they are pipes. */
export async function exitAfterFlush(code: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(flush));
  process.exit(code);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) return resolve();
    stream.once("error", () => resolve());
    stream.write("", () => resolve());
  });
}
