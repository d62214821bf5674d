// The log of a stored session, opened for one change.
import { systemClock } from "../../base/clock.ts";
import { newId } from "../../base/id.ts";
import { SessionLog } from "../../session/log.ts";
import type { Conversation } from "../../session/session.ts";
import type { ResultPromise } from "../client/open.ts";
import type { Workspace } from "../workspace.ts";

/** The session's log, for a change. */
export type SessionVoice = Pick<Conversation, "state" | "emit" | "dir">;

/** Refused while another process has the log open. */
export async function changeStored<T>(
  { paths }: Workspace,
  sessionId: string,
  change: (voice: SessionVoice) => ResultPromise<T>,
): ResultPromise<T> {
  const session = paths.session(sessionId);
  const opened = await SessionLog.open({
    paths: session,
    quarantine: paths.quarantine,
    sessionId,
    clock: systemClock,
    newId,
    onEvent: () => undefined,
    giveUpMs: 0,
  });
  if (!opened.ok) return opened;
  const { log } = opened.value;
  try {
    return await change({
      dir: session.dir,
      state: log.state,
      emit: (type, data, parentId) => log.emit(type, data, { parentId }),
    });
  } finally {
    await log.close();
  }
}
