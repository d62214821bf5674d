// P35: every wait has a limit, and what was waited for in vain ends the run with its reason.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { calls, hang, stall, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { type ChaosProxy, startChaosProxy } from "../tool/chaos-proxy.ts";
import { logOf, only, placeFor, run } from "../tool/everlong.ts";

let server: ModelServer;
let proxy: ChaosProxy | undefined;
afterEach(async () => {
  await proxy?.close();
  await server.close();
});

const impatient = { EVERLONG_STREAM_IDLE_SECONDS: "0.4", EVERLONG_RETRY_MAX: "2" };

describe("P35 PI13 nothing hangs unseen", () => {
  it.each(["answers nothing", "stops in mid-answer", "swallows every byte"])(
    "P35 a model that %s: three tries, exit 1 with the reason",
    async (how) => {
      server = await startModelServer();
      server.always(() => (how === "stops in mid-answer" ? stall("half a sent") : hang()));
      if (how === "swallows every byte") proxy = await startChaosProxy(server.url, () => ({ mode: "blackhole" }));
      const place = placeFor({ url: proxy?.url ?? server.url }, impatient);
      const done = await run(place, ["-p", "go"]);
      expect(done.code).toBe(1);
      expect(done.stderr).toMatch(/silent for 0\.4 s/);
      expect(done.stderr.match(/Trying again in/g)?.length).toBe(2);
      expect(only(logOf(place), "turn.end").map((e) => e.data.status)).toEqual(["failed"]);
    },
  );

  it("P35 a slow model that sends something now and then is waited for", async () => {
    server = await startModelServer();
    server.script(text("slow but steady", { chunk: 2, chunkDelayMs: 450 }));
    const done = await run(placeFor(server, { ...impatient, EVERLONG_STREAM_IDLE_SECONDS: "3" }), ["-p", "go"]);
    expect(done.stdout.trim()).toBe("slow but steady");
  });

  it("P35 A6.8 A9.5 a command that never ends goes to the background, then ends with the run and is named", async () => {
    server = await startModelServer();
    server.script(
      calls([{ id: "c", name: "bash", args: { command: "sleep 600; touch late", description: "x" } }]),
      text("done"),
    );
    const place = placeFor(server, { EVERLONG_BASH_WAIT_SECONDS: "0.3" });
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests[1]?.rawBody).toContain("still running after");
    expect(done.stderr).toMatch(/sh1.*sleep 600/);
    expect(existsSync(join(place.folder, "late"))).toBe(false);
  });

  it("P35 a command is ended at bash.maxSeconds, and its end is told", async () => {
    server = await startModelServer();
    server.script(
      calls([{ id: "c", name: "bash", args: { command: "echo begun; sleep 600", description: "x" } }]),
      text("done"),
    );
    const done = await run(placeFor(server, { EVERLONG_BASH_MAX_SECONDS: "0.5" }), ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests[1]?.rawBody).toMatch(/begun.*ended at its time limit/);
  });

  it("P35 A5.8 a model that never stops asking meets its limit: exit 1 saying so", async () => {
    server = await startModelServer();
    server.always((_request, n) => calls([{ name: "bash", args: { command: `echo ${n}`, description: "x" } }]));
    const done = await run(placeFor(server, { EVERLONG_MAX_STEPS: "4" }), [
      "-p",
      "go",
      "--allow-all",
      "--output-format",
      "json",
    ]);
    expect(done.code).toBe(1);
    expect(done.json).toMatchObject({
      success: false,
      steps: 4,
      error: { code: "limit", message: expect.stringContaining("4 steps") as string },
    });
  });

  it("T4 a build that never loses patience is seen", async () => {
    server = await startModelServer();
    server.always(() => hang());
    const bin = brokenCopy(/setTimeout\(\(\) => end\("idle"\), \w+\.idleMs\)/, "undefined");
    const done = await run({ ...placeFor(server, impatient), bin }, ["-p", "go"], { timeoutMs: 3000 });
    expect(done.signal).toBe("SIGKILL");
  });
});
