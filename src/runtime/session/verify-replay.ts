// A check for developers: after a turn, the state in memory is what the log replays to.
import { errorText } from "../../base/failure.ts";
import { canonicalJson } from "../../base/json.ts";
import type { SessionPaths } from "../../host/paths.ts";
import { readSession } from "../../session/read-session.ts";
import { replay } from "../../session/replay.ts";
import type { Conversation } from "../../session/session.ts";
import { plainState } from "../../session/state.ts";

export async function verifyReplay({ state, emit }: Conversation, paths: SessionPaths): Promise<void> {
  // Events may be added while the log is read: what is compared is this moment.
  const { eventCount } = state;
  const live = canonicalJson(plainState(state));
  const read = await readSession(paths);
  const replayed = read.ok
    ? canonicalJson(plainState(replay(read.value.events.slice(0, eventCount))))
    : errorText(read.error.what);
  if (replayed === live) return;
  await emit("session.error", {
    errorType: "replay_mismatch",
    code: "replay_mismatch",
    message: `Live and replayed state differ from character ${firstDifference(live, replayed)} on.`,
  });
}

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}
