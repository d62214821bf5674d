// What management works with, and a session by its name.
import type { Clock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import type { Redactor } from "../../memory/secret/filter.ts";
import type { ProxySettings } from "../../proxy/settings.ts";
import type { ProxyStore } from "../../proxy/store/handle.ts";
import { type Session, sessionById } from "../../proxy/store/session.ts";
import type { TextName } from "./contract.ts";

export type ManageParts = {
  store: ProxyStore;
  settings: Pick<ProxySettings, "specMode" | "semantic" | "upstreamUrls" | "upstreamKeys">;
  recall: Recall;
  /** The texts of a session's directory, as requests get them. */
  files: { read(dir: string): Promise<Readonly<Record<TextName, string>>> };
  redactor: Redactor;
  clock: Clock;
};

export async function sessionNamed(store: ProxyStore, id: string): Promise<Result<Session, Failure>> {
  const session = await sessionById(store, id);
  if (!session.ok) return session;
  return session.value ? ok(session.value) : fail(unknownSession(id));
}

export const unknownSession = (id: string): Failure => ({
  code: "session_not_found",
  what: `There is no proxied session "${id.slice(0, 80)}".`,
  data: "Nothing was changed.",
  next: "`everlong proxy sessions` lists them.",
  exit: 1,
});
