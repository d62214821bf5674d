// Proxied sessions when a home moves and when a member leaves.
import { OWNER } from "../../proxy/identify/run.ts";
import type { CopyRules, Crossing } from "../../store/copy/table.ts";
import type { SqlPiece } from "../../store/unit.ts";

/** As `personOf` names them, in the tenant of the transaction. */
const THEIRS = "identity = current_setting('everlong.tenant') || '/' || ?";
const HASHES = "it is known by hashes under the key of the home: an agent that goes on begins a session there";
const FIGURES = "figures of requests that went through the home";

/** A session's name on the other side: with the mark of its home, which two homes of one team do not share. */
export function nameThere(id: string, { home, identity }: Pick<Crossing, "home" | "identity">): string {
  const mark = `~${home}`;
  if (identity === undefined) return id.endsWith(mark) ? id.slice(0, -mark.length) : id;
  return /~[0-9a-f]{8}$/.test(id) ? id : `${id}${mark}`;
}

/** Sessions come to be read and searched: without a key nobody goes on with one. */
export const movedProxied: CopyRules = {
  proxy_session: {
    number: "no",
    identity: ["id"],
    only: theirs,
    become: (row, crossing) => ({
      ...{ ...row, id: nameThere(String(row["id"]), crossing), identity: crossing.identity ?? OWNER },
      // How far the log is written is each side's own business.
      ...{ key: null, anchor: null, logged: 0 },
    }),
  },
  proxy_item: {
    number: "id",
    identity: ["session", "own"],
    refers: { session: "proxy_session" },
    only: inTheirs("session"),
    become: (row) => ({ ...row, lane: null }),
  },
  proxy_member: { stays: HASHES },
  proxy_lane: { stays: HASHES },
  proxy_chain: { stays: HASHES },
  proxy_text: { stays: "files of the home, copied with its sessions" },
  proxy_event: { stays: "files of the home, copied with its sessions" },
  proxy_request: { stays: FIGURES },
  proxy_total: { stays: FIGURES },
  proxy_window: { stays: "how much a model takes is learned anew" },
};

function theirs(user: string): SqlPiece {
  return { sql: THEIRS, values: [user] };
}
function inTheirs(column: string): (user: string) => SqlPiece {
  return (user) => ({ sql: `${column} IN (SELECT no FROM proxy_session WHERE ${THEIRS})`, values: [user] });
}
const lanesOf = (user: string): SqlPiece => {
  const { sql, values } = inTheirs("session")(user);
  return { sql: `lane IN (SELECT id FROM proxy_lane WHERE ${sql})`, values };
};

/** A member's own sessions, with all that was said in them. */
export const memberProxied: Readonly<Record<string, { of: (user: string) => SqlPiece } | { shared: string }>> = {
  proxy_chain: { of: lanesOf },
  ...Object.fromEntries(
    ["lane", "item", "text", "event", "request", "total", "member"].map((name) => [
      `proxy_${name}`,
      { of: inTheirs("session") },
    ]),
  ),
  proxy_session: { of: theirs },
  proxy_window: { shared: "it says how much a model takes" },
};
