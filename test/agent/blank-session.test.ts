// A session in which nothing was said is not kept and not listed.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { run, sessionsOf } from "../tool/everlong.ts";
import { scene } from "./scene.ts";
import { openTerminal } from "./terminal.ts";

it("A8.18 commands in prompt mode leave no session behind, and no offer to resume one", async () => {
  const { place } = await scene(() => text("an answer"));
  for (const command of ["/help", "/context", "/memory", "/session"]) {
    const done = await run(place, ["-p", command]);
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(done.stdout).not.toBe("");
  }
  expect(sessionsOf(place)).toEqual([]);
  expect((await run(place, ["sessions", "--all"])).stdout).toBe("No sessions yet.\n");
  const asked = await run(place, ["-p", "hello"]);
  expect(asked.stderr).toContain("Resume with:");
  const [id = ""] = sessionsOf(place);
  expect((await run(place, ["--continue", "-p", "/context"])).stderr).toContain(`--resume ${id.slice(0, 8)}`);
  expect(sessionsOf(place), "a session with a prompt stays, whatever runs in it").toEqual([id]);
});

it("A8.18 a conversation that is left at once leaves nothing, and one that was killed is not listed", async () => {
  const { place } = await scene(() => text("an answer"));
  const left = openTerminal(place, ["--trust-folder"]);
  await left.see("> ");
  left.press("ctrl+d");
  expect(await left.exit).toBe(0);
  expect(sessionsOf(place)).toEqual([]);
  const killed = openTerminal(place, ["--trust-folder"]);
  await killed.see("> ");
  process.kill(killed.pid, "SIGKILL");
  await killed.exit;
  expect(readdirSync(join(place.home, "sessions"))).toHaveLength(1);
  expect((await run(place, ["sessions", "--all"])).stdout).toBe("No sessions yet.\n");
});
