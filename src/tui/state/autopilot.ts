// The first time that autopilot is on: what it does not do, and how far it goes.
import { counted } from "../../command/format.ts";
import type { Envelope } from "../../schema/event/envelope.ts";

/** Gives the notice for the event that switches it on first. */
export function autopilotNotice(limit: number): (event: Envelope) => string | undefined {
  let isKnown = false;
  return (event) => {
    const mode =
      event.type === "session.mode_changed"
        ? event.data.newMode
        : event.type === "session.start"
          ? event.data.mode
          : undefined;
    if (isKnown || mode !== "autopilot") return undefined;
    isKnown = true;
    return `Autopilot approves nothing for you: what needs your permission is refused. It continues on its own at most ${counted(limit, "time")} per message (autopilot.maxContinuations).`;
  };
}
