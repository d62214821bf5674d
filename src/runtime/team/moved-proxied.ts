// Proxied sessions when a home moves and when a member leaves.
import type { SqlPiece } from "../../store/unit.ts";

const STAYS = "lanes and items are known by hashes under the home's own key; the folder of each session stays readable";

/** Why a move leaves them where they are. */
export const movedProxied: Readonly<Record<string, { stays: string }>> = Object.fromEntries([
  ...["session", "member", "lane", "chain", "item", "text", "event", "request", "total", "window"].map(
    (name): [string, { stays: string }] => [`proxy_${name}`, { stays: STAYS }],
  ),
]);

/** As `personOf` names them, in the tenant of the transaction. */
const THEIRS = "identity = current_setting('everlong.tenant') || '/' || ?";
const inTheirs = (column: string) => (user: string) => ({
  sql: `${column} IN (SELECT no FROM proxy_session WHERE ${THEIRS})`,
  values: [user],
});
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
  proxy_session: { of: (user) => ({ sql: THEIRS, values: [user] }) },
  proxy_window: { shared: "it says how much a model takes" },
};
