// Which kind of request it is: that decides whether it is touched, stored, or let through.
import { isRecord, parseJson } from "../../base/json.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { Family, Headers, HistoryItem, LaneState, RequestKind, Route, ScannedBody } from "../contract.ts";
import { spoken } from "../history/readable.ts";
import { COMPACTION_MARKS, markIn, SIDE_MARKS } from "./marks.ts";
import { systemHead, systemText } from "./system-head.ts";
import { offersTools, overlap, toolNames } from "./tool-names.ts";

export type ClassifyInput = {
  route: Route;
  headers: Headers;
  family: Family;
  body: ScannedBody;
  items: readonly HistoryItem[];
  /** Content of secret.key. */
  key: string;
  /** The session's oldest main lane that offers tools. */
  main: Pick<LaneState, "tools" | "system"> | undefined;
  /** The largest share of a main lane's chain that stands in the request. */
  share: number;
  /** The lane that the request goes on with or forks from; undefined: its chain is new. */
  lane: Pick<LaneState, "kind" | "tools"> | undefined;
};
type Classified = { kind: RequestKind; why: string };

const SAME_TOOLS = 0.5;
const MOST_OF_IT = 0.5;

export function classify(input: ClassifyInput): Classified {
  const { route, body, items } = input;
  const last = items.at(-1)?.raw;
  if (isRecord(last) && last["type"] === "compaction_trigger") return { kind: "trigger", why: "compaction_trigger" };
  const stateKey = ["previous_response_id", "conversation"].find((key) => (body.value[key] ?? null) !== null);
  if (stateKey !== undefined) return { kind: "server-state", why: stateKey };
  if (route.task === "count") return { kind: "count", why: "route" };
  const side = sideSign(input);
  if (side !== undefined) return { kind: "aux", why: side };
  const compaction = compactionSign(input);
  if (compaction === undefined) return laneKind(input, toolNames(body));
  const speaker = items.map(spoken).find((text) => markIn(SIDE_MARKS, text, "turn"));
  return speaker === undefined ? { kind: "compaction", why: compaction } : { kind: "aux", why: "compaction beside" };
}

/** What a client asks for its own use: nobody of the conversation said it. */
function sideSign({ body, family, items }: ClassifyInput): string | undefined {
  const offers = offersTools(body);
  const mark =
    markIn(SIDE_MARKS, systemText(body), "system") ??
    (offers ? undefined : markIn(SIDE_MARKS, lastWords(items), "user"));
  if (mark) return `side request of ${mark.client}`;
  // Agents talk to their users in prose; an answer in a fixed shape is for the agent itself.
  return !offers && !OPEN_FAMILIES.has(family) && wireOf(body.wire).request.wantsShape(body.value)
    ? "answer in a fixed shape"
    : undefined;
}

/** These are anybody's programs, whose conversation may be in any shape. */
const OPEN_FAMILIES: ReadonlySet<Family> = new Set(["sdk", "other"]);

function compactionSign({ route, headers, body, items, share }: ClassifyInput): string | undefined {
  if (route.task === "compact") return "route";
  if (headers["x-interaction-type"] === "conversation-compaction") return "x-interaction-type";
  const turn = parseJson(headers["x-codex-turn-metadata"] ?? "null");
  if (turn.ok && isRecord(turn.value) && turn.value["request_kind"] === "compaction") return "x-codex-turn-metadata";
  const words = lastWords(items);
  const offers = offersTools(body);
  const mark =
    markIn(COMPACTION_MARKS, words, "user") ??
    (offers ? undefined : markIn(COMPACTION_MARKS, systemText(body), "system"));
  if (mark) return `mark of ${mark.client}`;
  return !offers && share >= MOST_OF_IT && asksForSummary(words) ? "asks for a summary of what was said" : undefined;
}

/** What the user says at the very end; empty when somebody else has the last word. */
function lastWords(items: readonly HistoryItem[]): string {
  const last = items.findLast(({ role }) => role !== "system" && role !== "developer");
  return last ? spoken(last) : "";
}

const SUMMARY = String.raw`\b(?:summar(?:y|i[sz]\w*)|condens\w+|compact(?:ion|ed|ing)?|recap)\b`;
const SAID = String.raw`\b(?:conversation|context|history|transcript|messages|session)\b`;
const ABOUT = new RegExp(`${SUMMARY}[^]{0,300}?${SAID}|${SAID}[^]{0,300}?${SUMMARY}`, "i");

const asksForSummary = (text: string): boolean => ABOUT.test(text.slice(0, 4_000));

function laneKind({ body, key, main, lane }: ClassifyInput, names: readonly string[]): Classified {
  if (!main) return { kind: "main", why: "no lane to compare with" };
  if (names.length === 0) return { kind: "aux", why: "no tools" };
  if (lane) {
    // A client may gain tools on its way; one that repeats a history for another purpose has others.
    const same = overlap(names, lane.tools) >= SAME_TOOLS || lane.tools.every((name) => names.includes(name));
    return same ? { kind: lane.kind, why: "goes on" } : { kind: "aux", why: "known history, other tools" };
  }
  if (overlap(names, main.tools) < SAME_TOOLS) return { kind: "agent", why: "new history, other tools" };
  if (systemHead(body, key) !== main.system) return { kind: "agent", why: "new history, other system text" };
  return { kind: "main", why: "new history" };
}
