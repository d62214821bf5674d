// Turns of a session into the graph: what the log says was answered, read from the store's own rows.
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import { type GroupScope, groupId, sessionKey, workspaceKey } from "../../memory/graph/group.ts";
import { type TurnText, turnMessages } from "../../memory/graph/message.ts";
import type { ItemPlace } from "../../memory/recall/item.ts";
import { Reader } from "../../memory/recall/store/read.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { fedTurn } from "../../memory/recall/store/tombstone.ts";
import { OFFLINE_LINE } from "../../model/offline/wording.ts";
import { runUnit } from "../../store/embedded-store.ts";
import type { Database } from "../../store/sqlite.ts";
import { LOCAL_USER } from "../memory/strategy.ts";
import type { Workspace } from "../workspace.ts";
import { userKey } from "./user-key.ts";

export type FeedPlace = {
  session: string;
  /** As memories and the board name it. */
  repository: string;
};
export type GraphGroup = { scope: GroupScope; id: string; place: ItemPlace };

/** The groups that a turn of this session goes to. */
export function groupsOf({ settings: { values } }: Pick<Workspace, "settings">, place: FeedPlace): GraphGroup[] {
  const strategy = values["memory.graphiti.groupIdStrategy"];
  const { session, repository } = place;
  return [
    {
      scope: "session",
      id: groupId("session", sessionKey(session), strategy),
      place: { level: "session", session, repository },
    },
    {
      scope: "workspace",
      id: groupId("workspace", workspaceKey(repository), strategy),
      place: { level: "repository", repository },
    },
  ];
}

/** So many turns at a time: an old conversation follows bit by bit and is in nobody's way. */
const PAGE = 25;
const PAUSE_MS = 250;

/** Every answered turn that is not in the graph yet, until the signal ends it. */
export async function feedTurns(
  graph: TemporalGraph<unknown>,
  db: Database,
  workspace: Pick<Workspace, "settings">,
  { place, signal }: { place: FeedPlace; signal: AbortSignal },
): Promise<Result<void, Failure>> {
  return eachPage({ db, session: place.session, wanted: "not in graph", signal }, (turns) =>
    acceptTurns(graph, workspace, groupsOf(workspace, place), turns),
  );
}

/** The same messages for every group. */
export async function acceptTurns(
  graph: TemporalGraph<unknown>,
  { settings: { values } }: Pick<Workspace, "settings">,
  groups: readonly Pick<GraphGroup, "id" | "place">[],
  turns: readonly TurnText[],
): Promise<Result<void, Failure>> {
  return acceptMessages(graph, values["memory.graphiti.maxMessageChars"], groups, turns);
}

export async function acceptMessages(
  graph: Pick<TemporalGraph<unknown>, "accept">,
  maxChars: number,
  groups: readonly Pick<GraphGroup, "id" | "place">[],
  turns: readonly TurnText[],
): Promise<Result<void, Failure>> {
  const episodes = turns.flatMap((turn) => turnMessages(turn, maxChars));
  for (const { id, place } of groups) {
    const accepted = await graph.accept({ group: id, place, origin: "turn", episodes });
    if (!accepted.ok) return accepted;
  }
  return ok(undefined);
}

type Pages = { db: Database; session: string; wanted: WantedTurns; signal: AbortSignal };

/** `isLast`: no turn follows those of this page. */
export async function eachPage(
  { db, session, wanted, signal }: Pages,
  work: (turns: readonly TurnText[], isLast: boolean) => Promise<Result<unknown, Failure>>,
): Promise<Result<void, Failure>> {
  for (let after = 0; ; ) {
    const turns = newTurns(db, session, after, wanted);
    after = turns.at(-1)?.turn ?? after;
    const isLast = turns.length < PAGE;
    const outcome = await work(turns, isLast);
    if (!outcome.ok) return outcome;
    if (isLast || !(await systemClock.sleep(PAUSE_MS, signal))) return ok(undefined);
  }
}

/** Pages of answered turns: after ?2, of the session ?1. */
const answered = (condition: string) =>
  `SELECT turn_index, turn_id FROM turns t WHERE session_id = ?1 AND status = 'done' AND rewound = 0 AND turn_index > ?2
  AND NOT EXISTS (SELECT 1 FROM tombstone WHERE id = '${fedTurn("' || ?1 || '", "' || turn_index || '").id}')
  AND ${condition} ORDER BY turn_index LIMIT ${PAGE}`;
const NOT_IN_GRAPH = answered("turn_index > COALESCE((SELECT max(turn) FROM graph_episode WHERE session = ?1), 0)");
const notQueued = (states: string) =>
  answered(
    `NOT EXISTS (SELECT 1 FROM graph_outbox o WHERE o.session = ?1 AND o.turn = t.turn_index AND o.endpoint = ?3 AND o.kind = 'turn' ${states})`,
  );
const NEVER_QUEUED = notQueued("");
const NOT_SENT = notQueued("AND o.state <> 'dropped'");
const MESSAGES = `SELECT id, turn, role, time FROM recall_item
  WHERE home IN (SELECT home FROM recall_place WHERE session = ?1 AND local = 1) AND turn BETWEEN ?2 AND ?3
  AND kind = 'turn' AND role IN ('user', 'assistant') ORDER BY seq`;

/** A whole session, page by page and without a pause. */
export function* pagesOf(db: Database, session: string, wanted: WantedTurns): Generator<TurnText[]> {
  for (let after = 0; ; ) {
    const turns = newTurns(db, session, after, wanted);
    if (turns.length === 0) return;
    after = turns.at(-1)?.turn ?? after;
    yield turns;
  }
}

/** Which turns: those that the graph has not read, or those that were never on their way to a server. */
export type WantedTurns = "not in graph" | { endpoint: string; alsoDropped: boolean };

/** What the user typed and what was answered, as far as the next page goes. */
function newTurns(db: Database, session: string, after: number, wanted: WantedTurns): TurnText[] {
  const reader = new Reader();
  const answered =
    wanted === "not in graph"
      ? prepared(db, NOT_IN_GRAPH).all(session, after)
      : prepared(db, wanted.alsoDropped ? NOT_SENT : NEVER_QUEUED).all(session, after, wanted.endpoint);
  const indexes = answered.map((row) => Number(row["turn_index"]));
  const rows = prepared(db, MESSAGES).all(session, indexes[0] ?? 0, indexes.at(-1) ?? 0);
  const byTurn = Map.groupBy(rows, (message) => Number(message["turn"]));
  return answered.map((row): TurnText => {
    const turn = Number(row["turn_index"]);
    const textOf = (role: string) => {
      const messages = (byTurn.get(turn) ?? []).filter((message) => message["role"] === role);
      const texts = messages.map((message) => runUnit(db, reader.text(Number(message["id"]))));
      // A step that only calls tools says nothing, and the offline model's notice is no part of the conversation.
      const words = role === "assistant" ? texts.map((one) => one.replace(OFFLINE_LINE, "").trimEnd()) : texts;
      const text = words.filter((one) => one.trim() !== "").join("\n\n");
      return { text, at: new Date(Number(messages[0]?.["time"] ?? 0)).toISOString() };
    };
    return { session, turn, turnId: String(row["turn_id"]), user: textOf("user"), assistant: textOf("assistant") };
  });
}

/** What belongs to the user, wherever; written by promotion and by hand alone. */
export const userGroup = (workspace: Workspace): GraphGroup => ({
  scope: "user",
  id: groupId("user", userKey(workspace), workspace.settings.values["memory.graphiti.groupIdStrategy"]),
  place: { level: "user", user: LOCAL_USER },
});
