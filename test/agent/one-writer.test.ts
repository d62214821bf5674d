// One writer a session: a second process is refused by name of the first, and needs no help once that one is dead.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { run, start } from "../tool/everlong.ts";
import { bash, onlySession, scene, until } from "./scene.ts";

describe("AE12 A8.20 two processes on one session", () => {
  it("AE12 the second exits 1 naming the pid; export works meanwhile; after kill -9 it starts at once", async () => {
    const { place } = await scene([
      calls([bash("touch begun; sleep 60")], { text: "<script>steal()</script>" }),
      text("mine now"),
    ]);
    const first = start(place, ["-p", "key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH", "--allow-all"]);
    await until("the command", () => existsSync(join(place.folder, "begun")));
    const id = onlySession(place);
    const second = await run(place, ["--resume", id, "-p", "go", "--output-format", "json"]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("is open in another process");
    expect(second.stderr).toContain(`pid ${first.pid}`);
    expect(second.json).toMatchObject({ success: false, error: { code: "session_in_use" } });
    const exported = await run(place, ["sessions", "export", id, "--format", "html"]);
    expect(exported.code).toBe(0);
    expect(exported.stdout).not.toMatch(/<script|sk-proj-abcdef/);
    expect(exported.stdout).toContain("&lt;script&gt;steal()");
    first.kill("SIGKILL");
    await first.done;
    const third = await run(place, ["--resume", id, "-p", "go"]);
    expect([third.code, third.stdout]).toEqual([0, "mine now\n"]);
  });

  it("A8.20 two sessions of one home work side by side", async () => {
    const { place } = await scene((_r, i) => text(`answer ${i}`));
    const both = await Promise.all([run(place, ["-p", "one"]), run(place, ["-p", "two"]), run(place, ["-p", "three"])]);
    expect(both.map((b) => b.code)).toEqual([0, 0, 0]);
    expect((await run(place, ["sessions", "--json"])).stdout.match(/"id"/g)).toHaveLength(3);
  });
});
