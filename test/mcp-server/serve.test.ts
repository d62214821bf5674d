// Everlong as an MCP server: its tools over stdio, scoped, bounded, and nothing but protocol on stdout.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { toolDefinition } from "../../src/tool/registry.ts";
import { bench, named, words } from "./fixture.ts";
import { program } from "./program.ts";

const serving = () => bench(() => ({ ours: program("served", "/process/folder") }));

describe("everlong mcp", () => {
  it("O149 O150 lists the tools that it was given, read-only, with bounded limits", async () => {
    const b = serving();
    const { tools } = await b.begin();
    expect(tools.map((t) => [t.mcp.tool, t.mcp.readOnly])).toEqual([
      ["recall", true],
      ["search_sessions", true],
    ]);
    expect(toolDefinition(tools[0]!).parameters).toMatchObject({
      required: ["query"],
      additionalProperties: false,
      properties: { limit: { type: "integer", minimum: 1, maximum: 50, default: 10 } },
    });
    expect(words(await b.call(named(tools, "search_sessions"), { query: "x" }))).toBe("sessions about x");
    const recall = named(tools, "recall");
    expect(words(await b.call(recall, { query: "q", limit: 51 }))).toMatch(/^failed: Wrong arguments for recall/);
    expect(words(await b.call(recall, { query: "" }))).toMatch(/^failed: Wrong arguments/);
  });

  it("O151 O152 works for the client's first root and names the client; no argument can name another repository", async () => {
    const b = serving();
    const recall = named((await b.begin()).tools, "recall");
    expect(JSON.parse(words(await b.call(recall, { query: "q" })))).toEqual({
      query: "q",
      limit: 10,
      folder: b.folder,
      client: "mcp:everlong",
    });
    expect(words(await b.call(recall, { query: "q", repository: "other/one" }))).toMatch(/^invalid_inputs/);
  });

  it("O150 an answer of more than 20,000 characters is cut with a note; a refusal and a fault are errors, and it goes on", async () => {
    const b = serving();
    const recall = named((await b.begin()).tools, "recall");
    const much = words(await b.call(recall, { query: "much" }));
    expect(much.length).toBeLessThanOrEqual(20_000);
    expect(much).toMatch(/\[cut: the answer has 50000 characters/);
    expect(words(await b.call(recall, { query: "refuse" }))).toBe("failed: Recall is off.");
    expect(words(await b.call(recall, { query: "break" }))).toMatch(/failed: recall could not be answered: the index/);
    expect(words(await b.call(recall, { query: "still" }))).toContain("still");
  });

  it("O149 O151 without roots it is the process's folder; garbage is survived; stdout is pure protocol; it ends with its client", async () => {
    const { command, args } = program("served", "/process/folder");
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    const say = (message: unknown) =>
      child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    say("not json at all");
    say({ jsonrpc: "2.0", id: "x" });
    const clientInfo = { name: "by hand", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    say({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    say({ jsonrpc: "2.0", method: "notifications/initialized" });
    say({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "recall", arguments: { query: "q" } } });
    say({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "prune", arguments: {} } });
    while (!out.includes('"id":3')) await once(child.stdout, "data");
    child.stdin.end();
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    const messages = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(messages.every((m) => m.jsonrpc === "2.0")).toBe(true);
    const answer = messages.find((m) => m.id === 2).result.content[0].text;
    expect(JSON.parse(answer)).toMatchObject({ folder: "/process/folder", client: "mcp:by hand" });
    expect(messages.find((m) => m.id === 3).error.message).toContain("prune");
    expect(err).toMatch(/over\n$/);
  });

  it("a client that closes stdout first does not break it", () => {
    const { command, args } = program("served");
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const pipeline = `(printf '%s\\n' '${line}' '${line}' '${line}'; sleep 0.2) | "$0" "$@" 2>/tmp/served-$$.err | true; s=$?; cat /tmp/served-$$.err; rm /tmp/served-$$.err; exit $s`;
    const ran = spawnSync("/bin/sh", ["-c", pipeline, command, ...args], { encoding: "utf8" });
    expect(ran.stdout).not.toMatch(/EPIPE|Unhandled/);
    expect(ran.status).toBe(0);
  });
});
