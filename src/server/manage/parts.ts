// What the operations on the store and the files work with.
import type { Clock } from "../../base/clock.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import type { Redactor } from "../../memory/secret/filter.ts";
import type { ProxySettings } from "../../proxy/settings.ts";
import type { SessionTextFile } from "../../proxy/state/files.ts";
import type { ProxyStore } from "../../proxy/store/handle.ts";

export type ManageParts = {
  store: ProxyStore;
  settings: Pick<ProxySettings, "specMode" | "semantic" | "upstreamUrls" | "upstreamKeys">;
  recall: Recall;
  /** The texts of a session's directory, as requests get them. */
  files: { read(dir: string): Promise<Readonly<Record<SessionTextFile, string>>> };
  redactor: Redactor;
  clock: Clock;
};
