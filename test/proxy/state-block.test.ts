// XE5, the state block: all four parts in a request that had to be cut, what switches it, where it stands, what joins it.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { blocksOf, type Client, newClient, textsOf, WIRES } from "./client.ts";
import { startGateway, type TestGateway } from "./gateway.ts";

type Json = Record<string, unknown>;
const named = (session: string) => ({ "x-everlong-session": session });
/** Usable 18,000 tokens, cut at 14,400. */
const SMALL = { EVERLONG_PROXY_WINDOWS: "*: 20000", CLIPROXY_RESERVE_TOKENS: "2000", EVERLONG_PROXY_HIGH_WATER: "0.8" };

async function stage(env: Record<string, string> = {}, args: string[] = []): Promise<[TestGateway, ModelServer]> {
  const server = await startModelServer({ script: () => text("Understood."), maxTokens: 20_000 });
  onTestFinished(() => server.close());
  return [await startGateway(server, { env, args }), server];
}

const tagsIn = (block = ""): string[] => (block.match(/^<(?!\/)\w+>$/gm) ?? []).map((tag) => tag.slice(1, -1));

/** Tool rounds of about 1,500 tokens each. */
async function rounds(client: Client, server: ModelServer, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    server.script(calls([{ name: "edit", args: { path: `src/part-${n}.ts` } }]));
    await client.say(`Read part ${n}, then decide to use layout ${n}.`);
    await client.results(`part ${n}: ${"alpha beta gamma delta ".repeat(260)}`);
  }
}

describe("XE5 a request that does not fit", () => {
  it.each(WIRES)(
    "X35 X37 X64 X71 XI6 has pinned, anchor, todo and spec in this order after the cut (%s)",
    async (wire) => {
      const [gateway, server] = await stage(SMALL);
      const client = newClient(gateway, server, wire, named("full"));
      await client.say("Port the parser to the new grammar.", {
        "x-everlong-todo": "T-4711 finish the lexer",
        "x-everlong-spec-mode": "on",
      });
      writeFileSync(join(gateway.dir, "sessions", "full", "pinned.md"), "P-0815 never touch the lock file");
      await rounds(client, server, 16);
      const { sent, headers } = await client.say("What is left to do?");
      expect(headers.get("x-everlong-action")).toBe("trim");
      expect(Number(headers.get("x-everlong-dropped"))).toBeGreaterThan(0);
      expect(Number(headers.get("x-everlong-tokens-sent"))).toBeLessThan(18_000);
      const latest = blocksOf(sent).at(-1);
      expect(tagsIn(latest)).toEqual(["everlong_state", "pinned", "anchor", "todo", "spec"]);
      expect(latest).toContain("P-0815 never touch the lock file");
      expect(latest).toContain("T-4711 finish the lexer");
      expect(latest).toMatch(/<anchor>[\s\S]*Port the parser to the new grammar/);
      expect(gateway.file("full", "summary.md")).toContain("Port the parser to the new grammar");
      const all = textsOf(sent.body).join("\n");
      expect(all).toContain("Port the parser to the new grammar.");
      expect(all).toContain("What is left to do?");
      expect([server.rejected, server.requests.filter((r) => r.overLimit)]).toEqual([[], []]);
    },
  );

  it("X72 a summary edited by hand keeps its words, what is made goes below a heading of its own; pinned text is never written", async () => {
    const [gateway, server] = await stage(SMALL);
    const client = newClient(gateway, server, "openai-responses", named("edited"));
    await client.say("Port the parser.");
    const dir = join(gateway.dir, "sessions", "edited");
    writeFileSync(join(dir, "summary.md"), "My own words: the grammar is LL(1).\n");
    await rounds(client, server, 16);
    const { sent, headers } = await client.say("Go on.");
    expect(headers.get("x-everlong-epoch")).toBe("1");
    const summary = gateway.file("edited", "summary.md");
    expect(summary.startsWith("My own words: the grammar is LL(1).\n")).toBe(true);
    expect(summary).toMatch(/\n#+ .+\n[\s\S]*Port the parser/);
    expect(gateway.file("edited", "pinned.md")).toBe("");
    expect(blocksOf(sent).at(-1)).toContain("My own words: the grammar is LL(1).");
  });

  it("X73 is told again once much has come after it, and not before", async () => {
    const [gateway, server] = await stage({ EVERLONG_PROXY_STATE_REFRESH_TOKENS: "4000" });
    const client = newClient(gateway, server, "anthropic", named("fresh"));
    await client.say("Begin.", { "x-everlong-todo": "one thing" });
    await rounds(client, server, 2);
    expect(blocksOf((await client.say("Go on.")).sent)).toHaveLength(1);
    await rounds(client, server, 2);
    const { sent } = await client.say("Go on.");
    expect(blocksOf(sent)).toHaveLength(2);
    expect(new Set(blocksOf(sent)).size).toBe(1);
  });
});

describe("XE5 switches", () => {
  it("X66 CLIPROXY_TODO_ENABLED=0 neither stores nor shows it, and still strips it", async () => {
    const [gateway, server] = await stage({ CLIPROXY_TODO_ENABLED: "0" });
    const client = newClient(gateway, server, "openai-chat", named("off"));
    const { sent, body } = await client.say("Begin.", { "x-everlong-todo": "secret plan" });
    expect(sent.rawBody).toBe(JSON.stringify(body));
    expect(JSON.stringify(sent.headers)).not.toContain("secret plan");
    expect(gateway.file("off", "todo.md")).toBe("");
    writeFileSync(join(gateway.dir, "sessions", "off", "todo.md"), "by hand");
    writeFileSync(join(gateway.dir, "sessions", "off", "pinned.md"), "pinned by hand");
    const two = await client.say("Go on.");
    expect(tagsIn(blocksOf(two.sent)[0])).toEqual(["everlong_state", "pinned"]);
  });

  it("X64 CLIPROXY_SCAFFOLD_ENABLED=0 removes the block; the seed's tag gives the seed's names", async () => {
    const [gateway, server] = await stage({ CLIPROXY_SCAFFOLD_ENABLED: "0" });
    const none = await newClient(gateway, server, "openai-chat", named("none")).say("Hi.", { "x-everlong-todo": "a" });
    expect(none.sent.rawBody).toBe(JSON.stringify(none.body));
    expect(gateway.file("none", "todo.md")).toBe("a");
    const [seed, other] = await stage({ EVERLONG_PROXY_STATE_TAG: "proxypilot_state" });
    const { sent } = await newClient(seed, other, "gemini", named("seed")).say("Hi.", { "x-cliproxyapi-todo": "a" });
    expect(tagsIn(blocksOf(sent, "proxypilot_state")[0])).toEqual(["proxypilot_state", "todo"]);
  });

  it("X74 without append-only the block stands before the user's text", async () => {
    const [gateway, server] = await stage({ CLIPROXY_SCAFFOLD_APPEND_ONLY: "0" });
    for (const wire of WIRES) {
      const client = newClient(gateway, server, wire, named(`before-${wire}`));
      const { sent } = await client.say("My very words.", { "x-everlong-todo": "a" });
      const all = textsOf(sent.body).join("\n");
      expect(all.indexOf("</everlong_state>"), wire).toBeLessThan(all.indexOf("My very words."));
      expect(blocksOf(sent)).toHaveLength(1);
    }
    expect(server.rejected).toEqual([]);
  });

  it("X78 with the role system it is a trailing entry of its own on the OpenAI wires", async () => {
    const [gateway, server] = await stage({ EVERLONG_PROXY_STATE_ROLE: "system" });
    const chat = await newClient(gateway, server, "openai-chat", named("s1")).say("Hi.", { "x-everlong-todo": "a" });
    const last = ((chat.sent.body as Json)["messages"] as Json[]).at(-1);
    expect([last?.["role"], tagsIn(String(last?.["content"]))]).toEqual(["system", ["everlong_state", "todo"]]);
    const codex = await newClient(gateway, server, "openai-responses", named("s2")).say("Hi.", {
      "x-everlong-todo": "a",
    });
    expect(((codex.sent.body as Json)["input"] as Json[]).at(-1)?.["role"]).toBe("developer");
  });

  it("X70 AGENTS.md of the root joins the pinned text, unless the request says it already; a link is not followed", async () => {
    const [plain] = await stage();
    const root = join(plain.place.folder, "root");
    mkdirSync(root);
    writeFileSync(join(root, "AGENTS.md"), "House rule: tabs, never spaces.");
    const [gateway, server] = await stage({}, ["--harness-root-dir", root]);
    const one = await newClient(gateway, server, "anthropic", named("r1")).say("Begin.");
    expect(blocksOf(one.sent)[0]).toContain("<pinned>\nHouse rule: tabs, never spaces.\n</pinned>");
    const two = await newClient(gateway, server, "anthropic", named("r2")).say("Obey: House rule: tabs, never spaces.");
    expect(blocksOf(two.sent)).toEqual([]);
    const linked = join(plain.place.folder, "linked");
    mkdirSync(linked);
    symlinkSync("/etc/passwd", join(linked, "AGENTS.md"));
    const [other, upstream] = await stage({ EVERLONG_PROXY_ROOT_DIR: linked });
    const three = await newClient(other, upstream, "anthropic", named("r3")).say("Begin.", { "x-root": "/etc" });
    expect(three.sent.rawBody).toBe(JSON.stringify(three.body));
  });
});
