// The inbox of an open session: kept in its session.db, filtered, told of on its event stream.
import { Inbox } from "../../agent/inbox/inbox.ts";
import { inboxStore } from "../../agent/inbox/store.ts";
import { systemClock } from "../../base/clock.ts";
import { newId } from "../../base/id.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { LiveSession } from "../session/live-session.ts";
import { redactorOf } from "../workspace.ts";

/** `past`: the log up to the opening of the session. */
export function openInbox(live: LiveSession, past: Iterable<DurableEnvelope>): Promise<Inbox> {
  const { session, workspace, paths, sessionId } = live;
  return Inbox.open(
    {
      sessionId,
      store: inboxStore(paths.db),
      redactor: redactorOf(workspace),
      clock: systemClock,
      newId,
      publish: session.publish,
      // Its failure would be that of the log, which shows at the next event.
      warn: (message) => void session.emit("session.warning", { warningType: "inbox", message }).catch(() => undefined),
    },
    past,
  );
}
