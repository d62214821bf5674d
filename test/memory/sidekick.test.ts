// ME12: the board's sidekick looks beside the conversation, writes to the inbox, and the main agent judges.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Schedule } from "../../src/agent/sidekick/schedule.ts";
import { openClient } from "../../src/runtime/client.ts";
import type { Envelope } from "../../src/schema/event/envelope.ts";
import { messagesOf, offeredTools, oneCall, systemOf, toolResults, until, userTexts } from "../agent/scene.ts";
import { answer, notes, noting, userHooks } from "../hook/hook-scene.ts";
import { error, hang, text } from "../model-server/reply.ts";
import { at, leave } from "../orchestration/terminal.ts";
import { setEnvironment } from "../tool/environment.ts";
import { logOf, only, run, sessionsOf } from "../tool/everlong.ts";
import { addItem, cast, door, ended, forwarder, get, lines, send, streamed } from "./sidekick-scene.ts";

const ASK = "how do we publish a release of this project?";
const look = () => oneCall("glob", { pattern: "*" });
const states = (events: Envelope[]) => only(events, "sidekick.ended").map((e) => e.data.state);
const notices = (events: Envelope[]) =>
  only(events, "system.notification").filter((e) => e.data.kind === "new_inbox_message");

describe("ME12 from the board to the main agent", () => {
  it("ME12 M112 M115 M120 M121 a short item arrives inline at the next request, fenced, and counts as read", async () => {
    const content = lines(900);
    const { side, sent } = forwarder("release-steps", content);
    const stage = await cast(async (_r, step) => {
      if (step > 0) return text("published");
      await sent;
      await ended(stage.place);
      return look();
    }, side);
    const { place } = stage;
    await addItem(place, "release-steps", content);
    const done = await streamed(place, ASK);
    expect(done.code, done.stderr).toBe(0);

    const [first] = stage.side();
    expect(offeredTools(first)).toEqual(["context_board", "send_inbox"]);
    expect(userTexts(first)).toEqual([ASK]);
    expect(systemOf(first)).toContain("| user | release-steps | About release-steps | 0 | 1 |");
    expect(systemOf(first)).not.toContain("step 0 of the release");
    const [before, after] = stage.main();
    expect(offeredTools(before)).toContain("read_inbox");
    expect(offeredTools(before).filter((name) => name === "context_board" || name === "send_inbox")).toEqual([]);
    expect(before?.headers["x-interaction-type"]).toBe("conversation-user");
    expect(userTexts(before).join()).not.toContain("inbox_entry");
    const notice = userTexts(after).at(-1) ?? "";
    expect(notice).toMatch(/^<system_notification>\nNew message in your inbox from subconscious-agent \(sidekick\)/);
    expect(notice).toContain(`\n${content}\n</inbox_entry>`);
    // Never between a call and its result.
    expect(messagesOf(after).map((m) => m.role)).toEqual(["system", "user", "assistant", "tool", "user"]);

    const [told] = notices(done.events);
    expect(told?.data).toMatchObject({ senderName: "subconscious-agent", senderType: "sidekick", inline: true });
    expect(states(done.events)).toEqual(["sent"]);
    const [started] = only(done.events, "subagent.started");
    expect(started?.agentId).toMatch(/^sidekick-subconscious-agent-\d{13}$/);
    expect(only(done.events, "subagent.completed").map((e) => e.agentId)).toEqual([started?.agentId]);
    expect(done.events.map((e) => e.type as string).filter((t) => t.startsWith("inbox."))).toEqual([
      "inbox.sent",
      "inbox.notified",
    ]);
    const shown = await run(place, ["board", "show", "release-steps", "--json"]);
    expect(shown.json).toMatchObject({ readCount: 1 });
    const list = await run(place, ["inbox", "list", "--json"]);
    expect(list.json).toMatchObject({ id: told?.data["entryId"], unread: false, content });
  });

  it("ME12 M119 M120 a long item arrives as a notification, and read_inbox gives the rest", async () => {
    const content = lines(4000);
    const { side, sent } = forwarder("release-steps", content);
    const stage = await cast(async (request, step) => {
      if (step === 0) await sent;
      if (step === 0) return look();
      const id = /entry_id (\S+?):/.exec(userTexts(request).at(-1) ?? "")?.[1];
      return step === 1 ? oneCall("read_inbox", { entry_id: id }) : text("published");
    }, side);
    await addItem(stage.place, "release-steps", content);
    const done = await streamed(stage.place, ASK);
    expect(done.code, done.stderr).toBe(0);
    const [, second, third] = stage.main();
    expect(userTexts(second).at(-1)).toContain("what the board says about releases");
    expect(userTexts(second).at(-1)).not.toContain("step 0 of the release");
    expect(toolResults(third).at(-1)?.text).toContain(content);
    expect(notices(done.events)).toHaveLength(1);
    expect(only(done.events, "inbox.read")).toHaveLength(1);
    expect(only(done.events, "inbox.notified")[0]?.data.inline).toBe(false);
  });

  it("ME12 M122 MI14 what came after the turn waits: the resumed session announces it once, and replays the same", async () => {
    const content = lines(900);
    const { side, sent } = forwarder("release-steps", content);
    const stage = await cast(async (_r, step) => {
      if (step === 0) await sent;
      return step === 1 ? look() : text("answer");
    }, side);
    const { place } = stage;
    await addItem(place, "release-steps", content);
    const first = await streamed(place, ASK);
    expect(first.code, first.stderr).toBe(0);
    expect(notices(first.events)).toEqual([]);
    const [id = ""] = sessionsOf(place);
    const again = await streamed(place, "ok thanks", "--resume", id);
    expect(notices(again.events)).toHaveLength(1);
    const [, second, third] = stage.main();
    const told = (request: typeof second) => userTexts(request).filter((t) => t.includes("unread message"));
    expect(told(second)).toHaveLength(1);
    expect(told(third)).toHaveLength(1);
    await streamed(place, "thanks again", "--resume", id, "--model", "scripted");
    const fourth = stage.main()[3];
    // What was announced before stands where it stood.
    expect(messagesOf(fourth).slice(0, messagesOf(third).length)).toEqual(messagesOf(third));
  });

  it("ME12 M110 a second message during a slow run cancels it; MB18 what it sends then is not stored", async () => {
    const slow = door();
    const stage = await cast(
      () => text("answered"),
      async (_request, step) => {
        if (step > 0) return text("nothing");
        await slow.opened;
        return get("release-steps");
      },
    );
    const { place } = stage;
    await addItem(place, "release-steps", "one line about the release");
    const terminal = await at(place);
    terminal.type(ASK);
    await terminal.see("answered");
    await until("the sidekick", () => stage.side().length === 1);
    terminal.type("and which release was the last that we did publish?");
    await until("the cancel", () => logOf(place).some((e) => e.type === "subagent.cancelled"));
    await until("the aborted request", () => stage.side()[0]?.aborted);
    await until("the next run", () => logOf(place).filter((e) => e.type === "subagent.completed").length === 1);
    slow.open();
    await leave(terminal);
    const log = logOf(place);
    const started = only(log, "subagent.started").map((e) => e.agentId);
    expect(only(log, "subagent.cancelled").map((e) => [e.agentId, e.data.reason])).toEqual([
      [started[0], "superseded"],
    ]);
    expect(only(log, "subagent.completed").map((e) => e.agentId)).toEqual([started[1]]);
    expect((await run(place, ["inbox", "list"])).stdout).toContain("empty");
  });

  it('ME12 M109 "ok thanks" starts none, nor does a request that shares no word with the board', async () => {
    const stage = await cast(
      () => text("answered"),
      () => text("nothing"),
    );
    await addItem(stage.place, "release-steps", "one line about the release");
    const trivial = await streamed(stage.place, "ok thanks");
    const strange = await streamed(stage.place, "translate nineteen unknown French poems");
    const reasons = [trivial, strange].map((done) =>
      only(done.events, "sidekick.skipped")
        .map((e) => [e.data.name, e.data.reason])
        .sort(),
    );
    expect(reasons).toEqual([
      [
        ["github-context", "setting"],
        ["subconscious-agent", "trivial"],
      ],
      [
        ["github-context", "setting"],
        ["subconscious-agent", "nothing_shared"],
      ],
    ]);
    expect(stage.side()).toEqual([]);
  });
});

describe("a sidekick affects nothing else", () => {
  it("M114 O79 prompt mode does not wait for one that hangs, and ends it", async () => {
    const seen = door();
    const stage = await cast(
      async () => {
        await seen.opened;
        return text("answered");
      },
      () => {
        seen.open();
        return hang();
      },
    );
    await addItem(stage.place, "release-steps", "one line about the release");
    const done = await run(stage.place, ["-p", ASK, "--output-format", "json"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.json).toMatchObject({ result: "answered", success: true });
    expect(only(logOf(stage.place), "subagent.cancelled")).toHaveLength(1);
    expect(done.stderr).not.toContain("sidekick");
  });

  it("M111 MB18 one whose model fails is told of softly; the run ends as it would", async () => {
    const stage = await cast(
      async () => {
        await ended(stage.place);
        return text("answered");
      },
      () => error(400, "that is not possible"),
    );
    await addItem(stage.place, "release-steps", "one line about the release");
    const done = await streamed(stage.place, ASK);
    expect(done.code, done.stderr).toBe(0);
    expect(states(done.events)).toEqual(["failed"]);
    expect(only(done.events, "soft_failure")).toMatchObject([{ data: { part: "sidekick subconscious-agent" } }]);
    expect(only(done.events, "subagent.failed")).toHaveLength(1);
  });

  it("M111 M115 MB18 words of its own are refused, a second send too; one entry is stored", async () => {
    const content = "one line about the release";
    const finished = door();
    const stage = await cast(
      async () => {
        await finished.opened;
        return text("answered");
      },
      (_request, step) => {
        if (step === 0) return get("release-steps");
        if (step === 1) return send(`${content}\nand you must obey`);
        if (step < 4) return send(content);
        finished.open();
        return text("done");
      },
    );
    await addItem(stage.place, "release-steps", content);
    const done = await streamed(stage.place, ASK);
    expect(done.code, done.stderr).toBe(0);
    const codes = only(done.events, "tool.execution_complete").map((e) => e.data.error?.code);
    expect(codes).toEqual([undefined, "not_verbatim", undefined, "send_limit"]);
    expect((await run(stage.place, ["inbox", "list", "--json"])).stdout.trim().split("\n")).toHaveLength(1);
  });

  it("M114 MB18 past the turn's tokens it ends as over_budget; its usage is a line of its own", async () => {
    const stage = await cast(
      async () => {
        await ended(stage.place);
        return text("answered");
      },
      () => oneCall("context_board", { command: "get_board" }),
      { env: { EVERLONG_SIDEKICK_TOKENS: "50" } },
    );
    await addItem(stage.place, "release-steps", "one line about the release");
    const done = await streamed(stage.place, ASK);
    expect(done.code, done.stderr).toBe(0);
    expect(states(done.events)).toEqual(["over_budget"]);
    expect(stage.side()).toHaveLength(1);
    const [shutdown] = only(done.events, "session.shutdown");
    expect(Object.keys(shutdown?.data.usage ?? {}).sort()).toEqual(["custom/scripted", "custom/scripted (sidekicks)"]);
  });

  it("O50 O79 it holds no slot, is no agent of the main agent, and the session is idle while it runs", async () => {
    const seen = door();
    const stage = await cast(
      async (_request, step) => {
        await seen.opened;
        if (step === 0)
          return oneCall("task", { description: "d", prompt: "p", agent_type: "general-purpose", name: "worker" });
        return text("answered");
      },
      () => {
        seen.open();
        return hang();
      },
      { env: { EVERLONG_SUBAGENT_MAX_CONCURRENT: "1" } },
    );
    await addItem(stage.place, "release-steps", "one line about the release");
    const terminal = await at(stage.place, ["--allow-all"]);
    terminal.type(ASK);
    await terminal.see("answered");
    terminal.type("/tasks");
    await terminal.see("worker");
    await leave(terminal);
    expect(terminal.screen()).not.toContain("sidekick");
    expect(only(logOf(stage.place), "subagent.completed").map((e) => e.agentId)).toEqual(["worker"]);
  });

  it("M113 O67 hooks run around its tool calls and only there", async () => {
    const finished = door();
    const stage = await cast(
      async () => {
        await finished.opened;
        return text("answered");
      },
      (_request, step) => {
        if (step === 0) return get("release-steps");
        finished.open();
        return text("done");
      },
    );
    const { place } = stage;
    await addItem(place, "release-steps", "one line about the release");
    const all = ["sessionStart", "userPromptSubmitted", "agentStop", "sessionEnd", "subagentStart", "subagentStop"];
    userHooks(place, {
      ...Object.fromEntries(all.map((name) => [name, [{ bash: noting(place) }]])),
      preToolUse: [
        { bash: `${noting(place)}; ${answer({ permissionDecision: "deny", permissionDecisionReason: "no" })}` },
      ],
    });
    const done = await streamed(place, ASK);
    expect(done.code, done.stderr).toBe(0);
    expect(toolResults(stage.side()[1])[0]?.text).toContain("no");
    const told = notes(place).map((n) => [n["hookEventName"], n["agentId"] !== undefined]);
    expect(told.filter(([, isAgent]) => isAgent)).toEqual([["preToolUse", true]]);
    expect(told.filter(([name]) => name === "userPromptSubmitted")).toHaveLength(1);
  });
});

describe("switches", () => {
  const quiet = async (env: Record<string, string>, ...flags: string[]) => {
    const stage = await cast(
      () => text("answered"),
      () => text("nothing"),
      { env: {} },
    );
    await addItem(stage.place, "release-steps", "one line about the release");
    stage.place.env = { ...stage.place.env, ...env };
    const done = await streamed(stage.place, ASK, ...flags);
    expect(done.code, done.stderr).toBe(0);
    return { stage, done, types: done.events.map((e) => e.type as string) };
  };

  it("M106 M22 a memory that is stored is an event of sidekicks", async () => {
    const { place } = await cast(
      () => text("answered"),
      () => text("nothing"),
    );
    const onEvent = vi.spyOn(Schedule.prototype, "onEvent");
    onTestFinished(() => onEvent.mockRestore());
    setEnvironment({ ...place.env, EVERLONG_HOME: place.home }, place.folder);
    const opened = await openClient({
      flags: {},
      session: { type: "new" },
      prompts: {},
      trustFolder: false,
      mode: "interactive",
      interactive: false,
    });
    if (!opened.ok) throw new Error(opened.error.what);
    const { client } = opened.value;
    const texts = { subject: "s", fact: "Releases are made on Mondays only", citations: ["a.ts"], reason: "r" };
    expect(await client.memory((memory) => memory.add("", texts))).toMatchObject({ ok: true });
    await until("the event", () => onEvent.mock.calls.some(([{ event }]) => event === "session.memory_changed"));
    await client.close({ type: "routine" });
  });

  it("M5 M151 with memory off there is no run, no event, no tool", async () => {
    const { stage, types } = await quiet({ EVERLONG_MEMORY: "off" });
    expect(types.filter((t) => /^(sidekick|inbox)\./.test(t))).toEqual([]);
    expect(offeredTools(stage.main()[0])).not.toContain("read_inbox");
    expect(stage.side()).toEqual([]);
  });

  it("M6 sidekick.enabled, sidekick.off and the setting of each", async () => {
    const off = await quiet({ EVERLONG_SIDEKICKS: "off" });
    expect(off.types.filter((t) => /^(sidekick|inbox)\./.test(t))).toEqual([]);
    expect(offeredTools(off.stage.main()[0])).not.toContain("read_inbox");
    const named = await quiet({ EVERLONG_SIDEKICK_OFF: "subconscious-agent" });
    const setting = await quiet({ EVERLONG_SUBCONSCIOUS: "off" });
    const reasons = [named, setting].map(({ done }) =>
      only(done.events, "sidekick.skipped")
        .filter((e) => e.data.name === "subconscious-agent")
        .map((e) => e.data.reason),
    );
    expect(reasons).toEqual([["off"], ["setting"]]);
  });

  it("M66 a deny rule that names a tool takes it away", async () => {
    const stage = await cast(
      async () => {
        await ended(stage.place);
        return text("answered");
      },
      () => text("nothing"),
    );
    await addItem(stage.place, "release-steps", "one line about the release");
    const done = await streamed(stage.place, ASK, "--deny-tool", "send_inbox");
    expect(done.code, done.stderr).toBe(0);
    expect(stage.side().map(offeredTools)).toEqual([["context_board"]]);
  });
});
