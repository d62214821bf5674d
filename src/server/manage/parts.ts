// What the operations on the store and the files work with.
import type { Clock } from "../../base/clock.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import type { Redactor } from "../../memory/secret/filter.ts";
import type { ProxySettings } from "../../proxy/settings.ts";
import type { ProxyStore } from "../../proxy/store/handle.ts";
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
