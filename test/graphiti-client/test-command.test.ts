// RE14: the test command writes nothing unless asked to, and cleans up after itself or says what it could not.
import { describe, expect, it } from "vitest";
import { stage } from "./stage.ts";

describe("RE14 test command", () => {
  it("RE14 GC37 the basic test needs no consent, reads only, and sends no conversation text", async () => {
    const { graphiti, say } = await stage({ trust: false, consent: false });
    const done = await say("graph", "test");
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/^ok {2}healthcheck {2}\d+ ms {2}healthy$/m)]);
    expect(done.stdout).toMatch(/^skipped {2}groups\/resolve {2}\d+ ms {2}not offered$/m);
    expect(graphiti.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /healthcheck",
      "GET /openapi.json",
      "POST /groups/resolve",
      "GET /entity-edge/not_a_real_uuid",
    ]);
  });

  it("RE14 GC38 the smoke test stores, reads back and deletes; a server whose delete lies is found out", async () => {
    const { graphiti, say } = await stage({ consent: false });
    expect((await say("graph", "test", "--smoke")).code).toBe(0);
    expect(graphiti.episodes).toEqual([]);
    graphiti.liesAboutDelete = true;
    graphiti.script = ({ method, path }) =>
      method === "DELETE" && path.startsWith("/episode/") ? { type: "status", status: 500, body: "no" } : undefined;
    const lied = await say("graph", "test", "--smoke");
    expect([lied.code, lied.stdout]).toEqual([
      1,
      expect.stringMatching(/1 episodes remain in group everlong_smoke_\d+_/),
    ]);
    graphiti.script = ({ path }) => (path === "/messages" ? { type: "forget" } : undefined);
    expect((await say("graph", "test", "--smoke", "--wait", "1")).stdout).toContain("accepted, not stored");
  });

  it("RB24 GC2 an address with a password, another scheme or a query is refused with the reason", async () => {
    const { say } = await stage({ trust: false, consent: false });
    for (const [bad, why] of [
      ["file:///etc/passwd", "http or https"],
      ["ftp://example.org", "http or https"],
      ["http://me:pw@example.org", "password"],
      ["http://example.org/?x=1", "query"],
    ] as const) {
      const done = await say("graph", "test", "--endpoint", bad);
      expect([done.code, done.stderr], bad).toEqual([2, expect.stringContaining(why)]);
    }
  });
});
