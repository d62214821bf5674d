// Turns of a session into the graph: what the log says was answered, read from the store's own rows.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import { type GroupScope, groupId, sessionKey, workspaceKey } from "../../memory/graph/group.ts";
import { type TurnText, turnMessages } from "../../memory/graph/message.ts";
import type { ItemPlace } from "../../memory/recall/item.ts";
import { Reader } from "../../memory/recall/store/read.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { fedTurn, isBuried } from "../../memory/recall/store/tombstone.ts";
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

/** Every answered turn that is not in the graph yet. Returns how many. */
export async function feedTurns(
  graph: TemporalGraph<unknown>,
  db: Database,
  workspace: Pick<Workspace, "settings">,
  place: FeedPlace,
): Promise<Result<number, Failure>> {
  const turns = newTurns(db, place.session);
  const maxChars = workspace.settings.values["memory.graphiti.maxMessageChars"];
  for (const turn of turns) {
    const episodes = turnMessages(turn, maxChars);
    for (const group of groupsOf(workspace, place)) {
      const accepted = await graph.accept({ group: group.id, place: group.place, origin: "turn", episodes });
      if (!accepted.ok) return accepted;
    }
  }
  return ok(turns.length);
}

const ANSWERED = `SELECT turn_index, turn_id, timestamp FROM turns WHERE session_id = ?1 AND status = 'done' AND rewound = 0
  AND turn_index > COALESCE((SELECT max(turn) FROM graph_episode WHERE session = ?1), 0) ORDER BY turn_index`;
const MESSAGES = `SELECT i.id, i.role, i.time FROM recall_item i JOIN recall_place p ON p.id = i.place
  WHERE p.session = ? AND p.local = 1 AND i.kind = 'turn' AND i.turn = ? AND i.role IN ('user', 'assistant') ORDER BY i.seq`;

/** What the user typed and what was answered; a turn that nobody typed is not one of them. */
export function newTurns(db: Database, session: string): TurnText[] {
  const reader = new Reader(db);
  return prepared(db, ANSWERED)
    .all(session)
    .flatMap((row): TurnText[] => {
      const turn = Number(row["turn_index"]);
      if (isBuried(db, fedTurn(session, turn))) return [];
      const messages = prepared(db, MESSAGES).all(session, turn);
      const textOf = (role: string) => {
        const rows = messages.filter((message) => message["role"] === role);
        const text = rows.map((message) => reader.text(Number(message["id"]))).join("\n\n");
        return { text, at: new Date(Number(rows[0]?.["time"] ?? 0)).toISOString() };
      };
      const [user, assistant] = [textOf("user"), textOf("assistant")];
      if (user.text === "") return [];
      return [{ session, turn, turnId: String(row["turn_id"]), user, ...(assistant.text === "" ? {} : { assistant }) }];
    });
}

/** What belongs to the user, wherever; written by promotion and by hand alone. */
export const userGroup = (workspace: Workspace): GraphGroup => ({
  scope: "user",
  id: groupId("user", userKey(workspace), workspace.settings.values["memory.graphiti.groupIdStrategy"]),
  place: { level: "user", user: LOCAL_USER },
});
