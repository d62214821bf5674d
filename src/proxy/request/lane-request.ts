// A request of a lane: whose it is, where it goes on from, what it brings.
import type { HistoryItem, LaneKind, LaneState } from "../contract.ts";
import type { Match } from "../store/match.ts";
import type { ItemSighting } from "../store/see.ts";
import type { ProxySession } from "../store/session.ts";
import type { ManagedRequest } from "./context.ts";

export type LaneRequest = {
  request: ManagedRequest;
  kind: LaneKind;
  session: ProxySession;
  match: Match;
  sight: ItemSighting;
  items: readonly HistoryItem[];
  fixedTokens: number;
  lane: LaneState;
  /** The state of the lane that it would go on with, as it stands. */
  laneFor(match: Match): LaneState;
  /** The block as the files say now. */
  state(): Promise<string | undefined>;
};

/** The number of the lane that the request goes on with; 0 while its lane is still to be made. */
export const laneNumber = ({ match }: LaneRequest): number => (match.type === "extends" ? match.lane.id : 0);
