// An open session within reach of other processes, until it closes.
import type { Client } from "../../client/session.ts";
import type { OpenSession } from "../assemble.ts";
import { listenForControl } from "./listen.ts";

/** Other processes may ask it to stop, to take a message or to compact, until it closes. */
export function withinReach(client: Client, { session, paths }: OpenSession): Client {
  const stopListening = listenForControl(paths.control, {
    client,
    tell: (message) => session.emit("session.info", { infoType: "control", message }),
    trouble: (message) =>
      session.publish("soft_failure", {
        part: "control",
        code: "control_unavailable",
        message: `Other processes cannot reach this session: ${message}`,
        sessionId: session.id,
      }),
  });
  return {
    ...client,
    close(end) {
      stopListening();
      return client.close(end);
    },
  };
}
