import { describe, expect, it } from "vitest";
import { rules } from "../permission/test-place.ts";
import { type BenchOptions, bench } from "./tool-call-fixture.ts";

const touch = (path: string) => ({ name: "touch", args: { path } });
const sql = { name: "sql", args: { query: "select 1" } };
const allowAll = { policy: { allowAll: true } } satisfies BenchOptions;
function noting<T>(seen: T[], one: T): object {
  seen.push(one);
  return {};
}
const started = (b: ReturnType<typeof bench>) => b.events.filter((e) => e.type === "tool.execution_start");
const completed = (b: ReturnType<typeof bench>) => b.events.filter((e) => e.type === "tool.execution_complete");

describe("hooks around a call", () => {
  it("OI6 hooks and permission come before the start, and each hook sees an object", async () => {
    const seen: unknown[] = [];
    const preToolUse = ({ toolArgs }: { toolArgs: unknown }) => noting(seen, toolArgs);
    const b = bench({ ...allowAll, hooks: { preToolUse } });
    await b.run([{ name: "touch", args: '{"path":"a"}' }]);
    expect(seen).toEqual([{ path: "a" }]);
    const order = ["preToolUse", "permit", "tool.execution_start", "begin a", "end a", "postToolUse"];
    expect(b.trace).toEqual([...order, "tool.execution_complete"]);
  });

  it("OI6 a call whose arguments do not fit runs no hooks", async () => {
    const b = bench(allowAll);
    await b.run([{ name: "touch", args: { nonsense: 1 } }]);
    expect(b.trace).toEqual(["tool.execution_start", "tool.execution_complete"]);
  });

  it("O91 modified arguments are checked again, run and recorded; permission is decided on them", async () => {
    const to = (path: unknown) => ({ hooks: { preToolUse: () => ({ modifiedArguments: { path } }) } });
    const good = bench({ ...allowAll, ...to("b") });
    expect(await good.run([touch("a")])).toEqual(["touched b"]);
    expect(started(good)[0]?.data["arguments"]).toEqual({ path: "b" });

    const bad = bench({ ...allowAll, ...to(7) });
    expect(await bad.run([touch("a")])).toEqual([expect.stringContaining("A hook changed the arguments")]);
    expect(started(bad)).toEqual([]);

    const denied = bench({ policy: { allowAll: true, deny: rules("write(secret)") }, ...to("secret") });
    await denied.run([touch("a")]);
    expect(completed(denied)[0]?.data["resultType"]).toBe("denied");
    expect(started(denied)).toEqual([]);
  });

  it("O91 a hook's allow is an allow rule: enough alone, never over a deny or ask rule", async () => {
    const hooks = { preToolUse: () => ({ opinion: { decision: "allow" as const, reason: "fine" } }) };
    expect(await bench({ hooks }).run([touch("a")])).toEqual(["touched a"]);
    for (const policy of [{ deny: rules("write") }, { ask: rules("write") }]) {
      const b = bench({ hooks, policy });
      await b.run([touch("a")]);
      expect(completed(b)[0]?.data["resultType"]).toBe("denied");
    }
  });

  it.each(["deny", "ask"] as const)("OI6 P38 a hook's %s holds for tools that need no permission", async (decision) => {
    const hooks = { preToolUse: () => ({ opinion: { decision, reason: "no databases" } }) };
    const b = bench({ ...allowAll, hooks });
    expect(await b.run([sql])).toEqual([expect.stringContaining("no databases")]);
    expect(started(b)).toEqual([]);
    expect(b.events.map((e) => e.type)).toEqual([
      "permission.requested",
      "permission.completed",
      "tool.execution_complete",
    ]);
  });

  it("O91 a hook's ask is put to the person under allow-all, in plan mode too, and can only be approved once", async () => {
    const hooks = { preToolUse: () => ({ opinion: { decision: "ask" as const, reason: "sure?" } }) };
    for (const mode of ["interactive", "plan"] as const) {
      const b = bench({ policy: { allowAll: true, mode }, hooks, answer: { type: "session" } });
      expect(await b.run([sql])).toEqual(["1 row"]);
      expect(b.questions[0]?.reason).toContain("sure?");
      expect(b.questions[0]?.session).toBeUndefined();
    }
  });

  it("O90 handled: the tool does not run, the content is its result; a deny is stronger", async () => {
    const handled = { content: "from the cache" };
    const b = bench({ hooks: { preToolUse: () => ({ handled }) } });
    expect(await b.run([touch("a")])).toEqual(["from the cache"]);
    expect(b.trace).toEqual(["preToolUse", "tool.execution_complete"]);
    const opinion = { decision: "deny" as const, reason: "not that" };
    const c = bench({ hooks: { preToolUse: () => ({ handled, opinion }) } });
    expect(await c.run([touch("a")])).toEqual([expect.stringContaining("not that")]);
  });

  it("O89 contexts stand below the result, of success, failure and denial", async () => {
    const context = (additionalContext: string) => () => ({ additionalContext });
    const hooks = {
      preToolUse: context("before"),
      postToolUse: context("after"),
      postToolUseFailure: context("failed"),
    };
    expect(await bench({ ...allowAll, hooks }).run([touch("a")])).toEqual(["touched a\n\nbefore\n\nafter"]);
    expect(await bench({ hooks }).run([touch("a")])).toEqual([expect.stringMatching(/^Error(.|\n)*\n\nbefore$/)]);
    const b = bench({ hooks });
    const running = b.run([{ name: "silent", args: {} }]);
    await expect.poll(() => b.session.live.turn.running.size).toBe(1);
    b.session.live.turn.running.get("c0")?.abort();
    expect(await running).toEqual([expect.stringMatching(/^Error \(stalled\)(.|\n)*\n\nbefore\n\nfailed$/)]);
  });

  it("O89 suppressOutput keeps the output from the model, not the fact", async () => {
    const seen: string[] = [];
    const b = bench({
      ...allowAll,
      hooks: {
        preToolUse: () => ({ suppressOutput: true }),
        postToolUse: ({ toolResult }) => noting(seen, toolResult.textResultForLlm),
      },
    });
    const [text] = await b.run([touch("a")]);
    expect(text).not.toContain("touched");
    expect(seen).toEqual([text]);
    expect(completed(b)[0]?.data).toMatchObject({ success: true, filesChanged: [{ path: "a" }] });
  });

  it("O67 after an interrupt no hook is run any more", async () => {
    const abort = new AbortController();
    const preToolUse = () => {
      abort.abort();
      return {};
    };
    const b = bench({ ...allowAll, hooks: { preToolUse } });
    await b.run([touch("a"), touch("a")], abort.signal);
    expect(b.trace.filter((t) => !t.startsWith("tool."))).toEqual(["preToolUse"]);
    expect(completed(b).map((e) => e.data["resultType"])).toEqual(["interrupted", "interrupted"]);
  });
});

describe("lanes", () => {
  const toB = {
    preToolUse: ({ toolArgs }: { toolArgs: Record<string, unknown> }) =>
      toolArgs["path"] === "a" ? { modifiedArguments: { path: "b" } } : {},
  };

  it.each([1, 2, 4])(
    "O91 a call that a hook sent to another file waits for that file's calls (%d slots)",
    async (slots) => {
      const b = bench({ ...allowAll, hooks: toB, slots });
      await b.run([touch("a"), touch("b"), touch("a"), touch("b")]);
      const steps = b.trace.filter((t) => /^(begin|end)/.test(t));
      expect(steps).toEqual(Array.from({ length: 4 }, () => ["begin b", "end b"]).flat());
    },
  );
});

describe("permissionRequest", () => {
  const answering = (decision: "allow" | "deny") => ({
    permissionRequest: () => ({ answer: { decision, reason: "house rule" } }),
  });

  it("O91 allow: approved once, though nobody could be asked; deny: denied, the person is not asked", async () => {
    const b = bench({ hooks: answering("allow") });
    expect(await b.run([touch("a")])).toEqual(["touched a"]);
    expect(b.events.find((e) => e.type === "permission.completed")?.data).toMatchObject({
      result: "approved",
      scope: "once",
    });
    const c = bench({ hooks: answering("deny"), answer: { type: "once" } });
    expect(await c.run([touch("a")])).toEqual([expect.stringContaining("house rule")]);
    expect(c.questions).toEqual([]);
  });

  it("O93 without an answer the normal question is asked", async () => {
    const b = bench({
      hooks: { permissionRequest: () => ({ failures: [{ hook: "h", reason: "x" }] }) },
      answer: { type: "once" },
    });
    expect(await b.run([touch("a")])).toEqual(["touched a"]);
    expect(b.questions).toHaveLength(1);
  });

  it("O91 is not asked about what a deny rule, an ask rule or a guard decides", async () => {
    for (const policy of [{ deny: rules("write") }, { ask: rules("write"), allowAll: true }]) {
      const b = bench({ hooks: answering("allow"), policy });
      await b.run([touch("a")]);
      expect(b.trace).not.toContain("permissionRequest");
      expect(started(b)).toEqual([]);
    }
    const guarded = bench({ hooks: answering("allow"), policy: { allowAll: true } });
    await guarded.run([touch(".git/config")]);
    expect(guarded.trace).not.toContain("permissionRequest");
    expect(started(guarded)).toEqual([]);
  });
});

describe("subagents at the door", () => {
  it("O65 A7.13 the main agent's rules decide, the question and the events say whose call it is", async () => {
    const b = bench({ agent: "scout", answer: { type: "once" } });
    expect(await b.run([touch("a")])).toEqual(["touched a"]);
    expect(b.questions[0]?.agent).toBe("scout");
    const asked = b.events.filter((e) => e.type.startsWith("permission."));
    expect(asked.map((e) => e.agentId)).toEqual(["a1", "a1"]);
    expect(asked[0]?.data["agent"]).toBe("scout");
    const denied = bench({
      agent: "scout",
      policy: { allowAll: true, deny: rules("write") },
      answer: { type: "once" },
    });
    await denied.run([touch("a")]);
    expect(started(denied)).toEqual([]);
  });
});

describe("limits from outside", () => {
  it("O104 a workflow's limit refuses the call before anything else", async () => {
    const refuse = (name: string) =>
      name === "touch" ? { code: "research_only", message: "Dispatch first." } : undefined;
    const b = bench({ ...allowAll, refuse });
    expect(await b.run([touch("a"), sql])).toEqual(["Error (research_only): Dispatch first.", "1 row"]);
    expect(b.trace.filter((t) => t === "preToolUse")).toHaveLength(1);
  });

  it("O104 O91 a hook cannot lead a call past a workflow's limit", async () => {
    const refuse = (_name: string, args: unknown) =>
      JSON.stringify(args).includes("b") ? { code: "research_only", message: "Not b." } : undefined;
    const b = bench({
      ...allowAll,
      refuse,
      hooks: { preToolUse: () => ({ modifiedArguments: { path: "b" } }) },
    });
    expect(await b.run([touch("a")])).toEqual(["Error (research_only): A hook changed the arguments. Not b."]);
    expect(started(b)).toEqual([]);
  });

  it("O57 one silent tool is cancelled, the others go on", async () => {
    const b = bench(allowAll);
    const running = b.run([{ name: "silent", args: {} }, touch("a")]);
    await expect.poll(() => b.session.live.turn.running.size).toBe(1);
    b.session.live.turn.running.get("c0")?.abort();
    expect(await running).toEqual([expect.stringContaining("stalled"), "touched a"]);
    expect(b.session.live.turn.running.size).toBe(0);
  });
});
