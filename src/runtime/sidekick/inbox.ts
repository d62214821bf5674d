// The inbox of an open session: kept in its session.db, filtered, told of on its event stream.
import { Inbox } from "../../agent/inbox/inbox.ts";
import { inboxStore } from "../../agent/inbox/store.ts";
import { systemClock } from "../../base/clock.ts";
import { newId } from "../../base/id.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { SessionResources } from "../session/resources.ts";
import { redactorOf } from "../workspace.ts";

/** `past`: the log up to the opening of the session. */
export function openInbox(
  { main, workspace, paths }: Pick<SessionResources, "main" | "workspace" | "paths">,
  past: Iterable<DurableEnvelope>,
): Promise<Inbox> {
  return Inbox.open(
    {
      sessionId: main.id,
      store: inboxStore(paths.db),
      redactor: redactorOf(workspace),
      clock: systemClock,
      newId,
      publish: main.publish,
      // Its failure would be that of the log, which shows at the next event.
      warn: (message) => void main.emit("session.warning", { warningType: "inbox", message }).catch(() => undefined),
    },
    past,
  );
}
