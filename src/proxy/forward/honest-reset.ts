// undici takes a reset for the clean end of a body without a length; a torso must never look whole.
import type { buildConnector } from "undici";

/** It wraps a pool's `connect`. undici knows that case by the code, so the code is changed before it looks. */
export function honestReset(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) => {
    connect(options, (...outcome) => {
      outcome[1]?.prependListener("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNRESET") error.code = "UPSTREAM_RESET";
      });
      done(...outcome);
    });
  };
}
