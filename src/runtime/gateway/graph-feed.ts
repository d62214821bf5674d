// Turns of proxied sessions into the graph and to a Graphiti server: after the answer, from the rows of the store, so that no request waits.
import { isLoopbackHost } from "../../base/address.ts";
import { errorText, type Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import { groupId, sessionKey, workspaceKey } from "../../memory/graph/group.ts";
import type { TurnText } from "../../memory/graph/message.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { withoutInjected } from "../../proxy/history/blocks.ts";
import type { Remember } from "../../proxy/remember/remember.ts";
import { type ProxySession, placeOf } from "../../proxy/store/session.ts";
import type { Database } from "../../store/sqlite.ts";
import { acceptTurns, type GraphGroup } from "../graph/feed.ts";
import type { Workspace } from "../workspace.ts";
import type { FolderLinks } from "./folder-links.ts";

type Options = {
  workspace: Pick<Workspace, "settings">;
  db: Database;
  /** Absent: the settings want none. */
  graph: TemporalGraph<unknown> | undefined;
  links: Pick<FolderLinks, "of">;
  remember: Pick<Remember, "idle">;
  /** Where the turns are read and accepted, if not here. */
  elsewhere?: AcceptNewTurns | undefined;
  onTrouble(message: string): void;
};

/** Takes what of the session the graph has not read; undefined: there is no graph. */
export type AcceptNewTurns = (
  session: ProxySession,
  groups: readonly GraphGroup[],
  maxChars: number,
) => Promise<Result<unknown, Failure> | undefined>;

/** A session is read once it has been quiet for so long: its next request then waits for nothing. */
const QUIET_MS = 250;
/** However busy it is, it is read this often. */
const LONGEST_MS = 2000;

/** One session after the other; what a stop leaves undone comes with the session's next answer. */
export class GraphFeed {
  readonly #options: Options;
  readonly #sessions = new Map<number, { session: ProxySession; folder: string | undefined }>();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Since when something waits. */
  #since = 0;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The main agent of this session was answered, in this folder; returns at once. */
  answered(session: ProxySession, folder: string | undefined): void {
    if (this.#isClosed) return;
    const now = performance.now();
    if (this.#sessions.size === 0) this.#since = now;
    this.#sessions.set(session.no, { session, folder });
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#read(), QUIET_MS);
    else if (now - this.#since < LONGEST_MS) this.#timer.refresh();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#read();
    await this.#running;
  }

  #read(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#run()
      .catch((error: unknown) => this.#options.onTrouble(errorText(error)))
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #run(): Promise<void> {
    const { remember, workspace, db, graph, links, onTrouble, elsewhere } = this.#options;
    for (const [no, { session, folder }] of this.#sessions) {
      this.#sessions.delete(no);
      // The items of the answered request are on their way to the store.
      await remember.idle();
      const groups = groupsFor(workspace, session);
      const turns = () => unreadTurns(db, session);
      const maxChars = workspace.settings.values["memory.graphiti.maxMessageChars"];
      const here: AcceptNewTurns = async () => graph && acceptTurns(graph, workspace, groups, turns());
      const accepted = await (elsewhere ?? here)(session, groups, maxChars);
      if (accepted && !accepted.ok) onTrouble(accepted.error.what);
      const link = folder === undefined ? undefined : await links.of(folder);
      const sent = await link?.send(groups, (endpoint) =>
        newTurns(db, session, prepared(db, LAST_QUEUED).get(session.id, endpoint)),
      );
      if (sent && !sent.ok) onTrouble(sent.error.what);
    }
  }
}

/** Callers who are not one person share no workspace. */
function groupsFor({ settings: { values } }: Options["workspace"], session: ProxySession): GraphGroup[] {
  const strategy = values["memory.graphiti.groupIdStrategy"];
  const { namespace } = session;
  const isOnePerson = values["gateway.tenancy"] === "single" && isLoopbackHost(values["gateway.host"]);
  const id = groupId("session", sessionKey(session.id), strategy);
  const own: GraphGroup = { scope: "session", id, place: placeOf(session) };
  if (namespace === undefined || !isOnePerson) return [own];
  const shared = groupId("workspace", workspaceKey(namespace), strategy);
  return [own, { scope: "workspace", id: shared, place: { level: "repository", repository: namespace } }];
}

const LAST_READ = "SELECT max(turn) AS turn FROM graph_episode WHERE session = ?";
const LAST_QUEUED = "SELECT max(turn) AS turn FROM graph_outbox WHERE session = ? AND endpoint = ?";
const MESSAGES = `SELECT i.turn, i.role, i.text, i.time FROM proxy_item i JOIN proxy_lane l ON l.id = i.lane
  WHERE i.session = ?1 AND l.kind = 'main' AND i.stored = 1 AND i.indexed = 1 AND i.type = 'message'
  AND i.role IN ('user', 'assistant') AND i.turn >= ?2 ORDER BY i.id`;

export const unreadTurns = (db: Database, session: ProxySession): TurnText[] =>
  newTurns(db, session, prepared(db, LAST_READ).get(session.id));

/**
 * What is not known yet, and the last turn that is: its answer came with the request after it. Bringing what is known
 * changes nothing.
 */
function newTurns(db: Database, session: ProxySession, last: Record<string, unknown> | undefined): TurnText[] {
  const turns = new Map<number, { user: string[]; assistant: string[]; at: Record<string, string> }>();
  for (const row of prepared(db, MESSAGES).all(session.no, Number(last?.["turn"] ?? 0))) {
    const [number, role, time] = [Number(row["turn"]), String(row["role"]), String(row["time"])];
    const turn = turns.get(number) ?? { user: [], assistant: [], at: {} };
    turns.set(number, turn);
    const text = role === "user" ? withoutInjected(String(row["text"])).trim() : String(row["text"]);
    if (text === "") continue;
    turn[role === "user" ? "user" : "assistant"].push(text);
    turn.at[role] ??= time;
  }
  const newest = Math.max(...turns.keys());
  return [...turns].flatMap(([number, { user, assistant, at }]): TurnText[] => {
    const [asked = "", answered = ""] = [at["user"], at["assistant"]];
    if (user.length === 0) return [];
    // The agent may still be at work in its last turn.
    const isOver = number < newest && assistant.length > 0;
    return [
      {
        session: session.id,
        turn: number,
        turnId: `proxy-${session.no}.${number}`,
        user: { text: user.join("\n\n"), at: asked },
        ...(isOver ? { assistant: { text: assistant.join("\n\n"), at: answered } } : {}),
      },
    ];
  });
}
