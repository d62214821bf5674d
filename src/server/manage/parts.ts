// What the operations on the store and the files work with.
import type { Clock } from "../../base/clock.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import type { Redactor } from "../../memory/secret/filter.ts";
import type { ItemIndex } from "../../proxy/remember/item-index.ts";
import type { ProxySettings } from "../../proxy/settings.ts";
import type { ProxyStore } from "../../proxy/store/handle.ts";

export type ManageParts = {
  store: ProxyStore;
  /** One of many people: only their sessions are there. Absent: whoever asks runs the gateway. */
  owner?: string;
  settings: Pick<ProxySettings, "specMode" | "semantic" | "upstreamUrls" | "upstreamKeys">;
  recall: Pick<Recall, "search" | "start">;
  index: ItemIndex;
  redactor: Redactor;
  clock: Clock;
};
