// Strangers at a team's door: what they send costs the database little, and whatever it answers they get an answer.
import { expect, it, onTestFinished } from "vitest";
import { fail } from "../../src/base/result.ts";
import { openStage } from "../../src/server/server-fixture.ts";
import type { Lookup } from "../../src/server/team/directory.ts";
import type { TeamDoor } from "../../src/server/team/door.ts";
import { LOCAL_MEMBER } from "../../src/server/team/member.ts";
import { NodeMetrics } from "../../src/server/team/metrics.ts";
import { newToken } from "../../src/server/team/tokens.ts";
import { ServerPool } from "../../src/store/postgres/pool.ts";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";

const { token: right } = newToken("acme");
const wrong = (): string => newToken("acme").token;

/** A gateway whose directory is scripted, and what was asked of it. */
async function teamStage(find: (token: string) => Promise<Lookup>) {
  const lookups: string[] = [];
  const team: TeamDoor = {
    find: (token) => {
      lookups.push(token);
      return find(token);
    },
    knows: (token) => token === right,
    graph: async () => fail({ code: "store_unavailable", what: "", data: "", next: "", exit: 1 }),
    graphViews: async () => fail({ code: "store_unavailable", what: "", data: "", next: "", exit: 1 }),
    memory: async () => fail({ code: "store_unavailable", what: "", data: "", next: "", exit: 1 }),
    tokens: () => {
      throw new Error("no tokens on this stage");
    },
    recall: async () => fail({ code: "store_unavailable", what: "", data: "", next: "", exit: 1 }),
    problems: async () => [],
    queues: async () => ({}),
    mcp: async () => [],
    sharing: () => {
      throw new Error("nobody shares on this stage");
    },
    metrics: new NodeMetrics(),
    pool: () => ({ total: 0, idle: 0, waiting: 0 }),
  };
  const stage = await openStage({ team, requireToken: true });
  onTestFinished(() => stage.end());
  const ask = async (path: string, token: string, headers: Record<string, string> = {}): Promise<number> =>
    (await stage.api(path, { token, headers })).status;
  return { stage, lookups, ask };
}

const byToken = async (token: string): Promise<Lookup> =>
  token === right ? { type: "member", member: { ...LOCAL_MEMBER, tenant: "acme", user: "ann" } } : { type: "unknown" };

it("W11 SEC11 nobody is looked up for a foreign host or page, an open address, or one who has guessed too often", async () => {
  const { stage, lookups, ask } = await teamStage(byToken);
  const foreign = await stage.raw(
    `GET /api/me HTTP/1.1\r\nHost: evil.com\r\nAuthorization: Bearer ${wrong()}\r\nConnection: close\r\n\r\n`,
  );
  expect(foreign).toMatch(/^HTTP\/1.1 403 /);
  expect(await ask("/api/me", wrong(), { origin: "https://evil.com" })).toBe(403);
  expect(await ask("/readyz", wrong())).toBe(200);
  expect(await ask("/nothing", wrong())).toBe(404);
  expect(lookups).toEqual([]);

  const guesses: number[] = [];
  for (let i = 0; i < 25; i++) guesses.push(await ask("/api/me", wrong()));
  expect(guesses).toEqual([...Array(20).fill(401), ...Array(5).fill(429)]);
  expect(lookups).toHaveLength(20);
  // A token that was right before is never counted among the guesses.
  expect(await ask("/api/me", right)).toBe(200);
});

it("WB1 W4 what the lookup of a member throws is answered and reported", async () => {
  const { stage, ask } = await teamStage(async () => {
    throw Object.assign(new Error("cached plan must not change result type"), { code: "0A000" });
  });
  expect(await ask("/api/me", right)).toBe(500);
  expect(await ask("/v1/models", right)).toBe(500);
  expect(stage.reports).toMatchObject([{ error: { code: "0A000" } }, { error: { code: "0A000" } }]);
});

it("W4 WB1 who waits too long for a connection gets busy, and the server is not taken for gone", async () => {
  const pool = await ServerPool.open(await sharedServer().newUrl(), { size: 1, connectMs: 2000 });
  onTestFinished(() => pool.close());
  let next: ReturnType<typeof pool.connected<string>> | undefined;
  const held = await pool.connected(async (client) => {
    await client.query("SELECT 1");
    const late = await pool.connected(async () => "in time");
    next = pool.connected(async () => "served");
    return late;
  });
  expect(held).toMatchObject({ ok: true, value: { ok: false, error: { code: "store_busy" } } });
  expect(await next).toEqual({ ok: true, value: "served" });
});
