// OE11: autopilot through the program: continuations, their limit, background work, and flags that are not autopilot.
import { describe, expect, it } from "vitest";
import { offeredTools, oneCall, onlySession, scene, systemOf, until, userTexts } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { type Reply, text } from "../model-server/reply.ts";
import { logOf, only, run, start } from "../tool/everlong.ts";

const complete = (success = true): Reply => oneCall("task_complete", { summary: "all of it", success });
const isChild = (request: Recorded): boolean => userTexts(request).some((t) => t.startsWith("CHILD"));

describe("OE11 autopilot", () => {
  it("OE11 O118 O120 two partial answers, then task_complete: two hidden continuations, exit 0", async () => {
    const { server, place } = await scene([text("first part"), text("second part"), complete()]);
    const done = await run(place, ["-p", "build it", "--autopilot"]);
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests).toHaveLength(3);
    const log = logOf(place);
    const messages = only(log, "user.message");
    expect(messages.map((m) => [m.data.source, m.data.hidden ?? false])).toEqual([
      ["user", false],
      ["autopilot", true],
      ["autopilot", true],
    ]);
    expect(userTexts(server.requests[2]).at(-1)).toMatch(/has not been declared complete/);
    expect(systemOf(server.requests[0])).toContain("AUTOPILOT");
    expect(offeredTools(server.requests[0])).toContain("task_complete");
    expect(only(log, "session.task_complete").map((e) => e.data)).toEqual([{ summary: "all of it", success: true }]);
    expect(only(log, "session.autopilot_stopped").map((e) => e.data)).toEqual([
      { reason: "task_complete", continuations: 2 },
    ]);
  });

  it("OE11 O122 at the limit it stops: three requests, exit 1, max_continuations", async () => {
    const { server, place } = await scene(() => text("not yet"));
    const done = await run(place, ["-p", "build it", "--autopilot", "--max-continuations", "2"]);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("max_continuations");
    expect(server.requests).toHaveLength(3);
    expect(only(logOf(place), "session.autopilot_stopped")[0]?.data).toEqual({
      reason: "max_continuations",
      continuations: 2,
    });
  });

  it("O119 O122 giving up and an error are no success", async () => {
    const gaveUp = await scene([complete(false)]);
    const given = await run(gaveUp.place, ["-p", "build it", "--autopilot"]);
    expect(given.code).toBe(1);
    expect(given.stderr).toContain("all of it");
    expect(only(logOf(gaveUp.place), "session.autopilot_stopped")[0]?.data.reason).toBe("gave_up");
    const broken = await scene([{ kind: "error", status: 401, message: "bad key", detail: {}, headers: {} }]);
    expect((await run(broken.place, ["-p", "build it", "--autopilot"])).code).toBe(1);
    expect(only(logOf(broken.place), "session.autopilot_stopped")[0]?.data).toEqual({
      reason: "error",
      continuations: 0,
    });
    expect(broken.server.requests).toHaveLength(1);
  });

  it("O122 an interrupt stops it: exit 130, aborted, no continuation", async () => {
    const { server, place } = await scene(() => ({ kind: "hang" }));
    const running = start(place, ["-p", "build it", "--autopilot"]);
    await server.waitFor(1);
    running.kill("SIGINT");
    expect((await running.done).code).toBe(130);
    expect(server.requests).toHaveLength(1);
    expect(only(logOf(place), "session.autopilot_stopped").map((e) => e.data)).toEqual([
      { reason: "aborted", continuations: 0 },
    ]);
  });

  it("OE11 O121 while a background agent runs there is no continuation; its end wakes the turn and costs none", async () => {
    const release = Promise.withResolvers<void>();
    let mainRequests = 0;
    const { server, place } = await scene(async (request) => {
      if (isChild(request)) {
        await release.promise;
        return text("the child's answer");
      }
      mainRequests++;
      if (mainRequests === 1)
        return oneCall("task", {
          agent_type: "explore",
          name: "look",
          description: "look around",
          prompt: "CHILD: look around",
          mode: "background",
        });
      return mainRequests === 2 ? text("waiting for it") : complete();
    });
    const running = start(place, ["-p", "build it", "--autopilot"], { env: { MULTI_TURN_AGENTS: "false" } });
    // The main agent's turn is over: a continuation would come now, and make a third request.
    await until("the end of the turn", () => mainRequests === 2 && only(logOf(place), "turn.end").length > 0);
    expect(mainRequests).toBe(2);
    release.resolve();
    const done = await running.done;
    expect(done.code, done.stderr).toBe(0);
    expect(mainRequests).toBe(3);
    expect(userTexts(server.requests.at(-1)).at(-1)).toContain("<system_notification>");
    expect(only(logOf(place), "user.message").filter((m) => m.data.source === "autopilot")).toEqual([]);
    expect(only(logOf(place), "session.autopilot_stopped")[0]?.data).toEqual({
      reason: "task_complete",
      continuations: 0,
    });
  });

  it("O122 O126 a run that does not wait for agents still ends as autopilot ends", async () => {
    let main = 0;
    const { server, place } = await scene((request) => {
      if (isChild(request)) return { kind: "hang" };
      const look = {
        agent_type: "explore",
        name: `look${++main}`,
        description: "d",
        prompt: "CHILD",
        mode: "background",
      };
      return main % 2 === 1 ? oneCall("task", look) : text("started one");
    });
    const flags = ["--autopilot", "--max-continuations", "1"];
    const done = await run(place, ["-p", "build it", ...flags], { env: { EVERLONG_TASK_WAIT_SECONDS: "0" } });
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("max_continuations");
    expect(server.requests.filter((r) => !isChild(r))).toHaveLength(4);
    expect(only(logOf(place), "subagent.cancelled").map((e) => e.data.reason)).toEqual([
      "wait_timeout",
      "wait_timeout",
    ]);
  });

  it("OE11 O124 --no-ask-user only takes the tool away: no task_complete, no continuation", async () => {
    const { server, place } = await scene([text("here is a part")]);
    const done = await run(place, ["-p", "build it", "--no-ask-user"]);
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests).toHaveLength(1);
    expect(offeredTools(server.requests[0])).not.toContain("ask_user");
    expect(offeredTools(server.requests[0])).not.toContain("task_complete");
    expect(systemOf(server.requests[0])).not.toContain("AUTOPILOT");
    expect(only(logOf(place), "session.autopilot_stopped")).toEqual([]);
  });

  it("O120 the count restarts with the next prompt of a resumed session", async () => {
    const { server, place } = await scene(() => text("not yet"));
    const flags = ["--autopilot", "--max-continuations", "1"];
    expect((await run(place, ["-p", "one", ...flags])).code).toBe(1);
    expect((await run(place, ["--resume", onlySession(place), "-p", "two", ...flags])).code).toBe(1);
    expect(server.requests).toHaveLength(4);
  });

  it("O98 O118 /autopilot switches the mode, for this run", async () => {
    const { place } = await scene([text("Fine.")]);
    await run(place, ["-p", "hello"]);
    const id = onlySession(place);
    expect((await run(place, ["--resume", id, "-p", "/autopilot"])).code).toBe(0);
    const modes = () => only(logOf(place, id), "session.mode_changed").map((e) => e.data.newMode);
    expect(modes()).toEqual(["autopilot"]);
    expect((await run(place, ["--resume", id, "-p", "/autopilot off", "--autopilot"])).code).toBe(0);
    expect(modes()).toEqual(["autopilot", "interactive"]);
    expect((await run(place, ["--resume", id, "-p", "/autopilot sideways"])).code).toBe(2);
  });

  it.each([
    [["--max-continuations", "-1"], /0.*1000/],
    [["--max-continuations", "x"], /0.*1000/],
    [["--agent", "nope"], /general-purpose/],
  ])("OB22 %j is exit 2 and says what is allowed", async (flags, allowed) => {
    const { server, place } = await scene([]);
    const done = await run(place, ["-p", "hello", "--autopilot", ...flags]);
    expect(done.code).toBe(2);
    expect(done.stderr).toMatch(allowed);
    expect(server.requests).toEqual([]);
  });
});
