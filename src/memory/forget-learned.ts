// What was learned from one session alone goes with it: episodes and the facts that rest on them, and its pins.
import { runUnit } from "../store/embedded-store.ts";
import type { Database } from "../store/sqlite.ts";
import { forgetTarget } from "./graph/store/forget.ts";
import { instantAt } from "./graph/time.ts";
import { removePinsOf } from "./pin/pin.ts";

/** Inside a transaction. */
export function forgetLearned(db: Database, session: string): void {
  runUnit(db, forgetTarget({ type: "session", session }, instantAt(Date.now())));
  removePinsOf(db, session);
}
