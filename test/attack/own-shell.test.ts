// Everlong called from an agent's own shell: whatever it is told, it gives no leave, hands out no tokens and moves no data.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { run } from "../tool/everlong.ts";

const TEAM = ["--tenant", "a", "--user", "b", "--database", "postgres://localhost:1/none"];

it.each<[line: string, more?: Record<string, string>]>([
  ["-p go --allow-all"],
  ["-p go --yolo"],
  ["-p go --allow-tool shell"],
  ["-p go --trust-folder"],
  ["-p go", { EVERLONG_ALLOW_ALL: "1" }],
  [["token", "add", "x", "--scope", "admin", ...TEAM].join(" ")],
  ["token revoke x --tenant a --database postgres://localhost:1/none"],
  [["move", "--to", "postgres://localhost:1/none", ...TEAM.slice(0, 4)].join(" ")],
])("A7.16 N7 a person's own only: %s %j", async (line, more = {}) => {
  const { server, place } = await scene([text("never")]);
  const inside = { ...place, env: { ...place.env, EVERLONG_TOOL_SHELL: "run", ...more } };
  const done = await run(inside, line.split(" "));
  expect(done.stderr).toContain("Only a person can");
  expect(done.code).toBe(1);
  expect(server.requests).toHaveLength(0);
  expect(existsSync(join(place.home, "sessions"))).toBe(false);
});

it("A7.16 without leave of its own another agent may be started there", async () => {
  const { place } = await scene([text("hello")]);
  const done = await run({ ...place, env: { ...place.env, EVERLONG_TOOL_SHELL: "run" } }, ["-p", "go"]);
  expect([done.code, done.stdout.trim()]).toEqual([0, "hello"]);
});
