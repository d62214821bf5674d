// Agents of a team through its nodes, for tests: requests of one growing history to any node, and what of it is on the database.
import type { RunningServer } from "../../src/store/postgres/server-fixture.ts";
import type { ModelServer } from "../model-server/server.ts";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { bodyOf, marker, SMALL_WINDOW } from "../proxy/growing.ts";
import { type Answer, call } from "../proxy/raw.ts";
import { CLIENTS } from "../proxy/wire-samples.ts";
import type { TestMember } from "./nodes.ts";

export const startProxiedNode = (
  url: string,
  upstream: Pick<ModelServer, "url">,
  more: Record<string, string> = {},
): Promise<TestGateway> =>
  startGateway(upstream, {
    env: { EVERLONG_DATABASE_URL: url, EVERLONG_PROXY_EXPLAIN: "always", ...SMALL_WINDOW, ...more },
  });

/** So many whole turns and a prompt, as this member's agent in this session. */
export const sendTurns = (
  node: Pick<TestGateway, "url">,
  who: Pick<TestMember, "token">,
  session: string,
  turns: number,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  call(node.url + CLIENTS.chat.path, {
    headers: { ...CLIENTS.chat.headers, "X-Everlong-Session": session, "X-Everlong-Token": who.token, ...headers },
    body: bodyOf(turns),
  });

/** The same, again until the database has taken part: on a busy machine it may be too late for a request. */
export async function sendStored(...request: Parameters<typeof sendTurns>): Promise<Answer> {
  for (;;) {
    const answer = await sendTurns(...request);
    if (answer.status !== 200 || answer.header("x-everlong-action") !== "skip:store") return answer;
  }
}

export type StoredLine = { tenant: string; session: string; identity: string; hash: string; text: string };

/** Items that left a request, as they are on the database; what the server's superuser sees. */
export async function storedLines(server: RunningServer, url: string): Promise<StoredLine[]> {
  const rows = await server.ask(
    `SELECT e.tenant, s.id AS session, s.identity, e.id AS hash, i.text FROM everlong.proxy_event e
     JOIN everlong.proxy_session s ON s.tenant = e.tenant AND s.no = e.session
     JOIN everlong.proxy_item i ON i.tenant = e.tenant AND i.session = e.session AND i.own = e.id
     WHERE i.stored = 1 AND i.dropped IS NOT NULL ORDER BY e.no`,
    new URL(url).pathname.slice(1),
  );
  return rows as StoredLine[];
}

/** Every text of so many turns is in the request that was sent or stored once; those that are neither, or twice. */
export function lostOrDoubled(lines: readonly StoredLine[], sent: string, turns: number): string[] {
  const problems: string[] = [];
  for (let n = 0; n <= turns; n++)
    for (const role of n < turns ? (["user", "assistant"] as const) : (["user"] as const)) {
      const text = marker(n, role);
      const count = lines.filter((line) => line.text.includes(text)).length;
      if (count > 1) problems.push(`${text} is stored ${count} times`);
      if (count === 0 && !sent.includes(text)) problems.push(`${text} is lost`);
    }
  const hashes = lines.map(({ tenant, session, hash }) => `${tenant} ${session} ${hash}`);
  if (new Set(hashes).size !== hashes.length) problems.push("an item is stored twice");
  return problems;
}
