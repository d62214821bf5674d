// MCP servers in a session: where they are named, when they start, what of them reaches the model, and when they end.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { offeredTools, oneCall, systemOf, toolResults, until, userTexts } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { text } from "../model-server/reply.ts";
import { logOf, newPlace, only, type Place, run, start } from "../tool/everlong.ts";
import { inHome, isAlive, mcpScene, mcpTools, name, pidsIn, server } from "./stage.ts";

const TRUST = "--trust-folder";

describe("starting", () => {
  it("OE14 O131 O134 a slow server's tools are in the first request, under valid names of at most 64 characters", async () => {
    const names = ["x".repeat(200), "say hello 👋", "say hello 🎉"];
    const { server: model, place } = await mcpScene([text("Hi.")], () => ({
      "slow one": server("plain", { delayMs: 1500, names }),
    }));
    expect((await run(place, ["-p", "Hello", TRUST])).code).toBe(0);
    const tools = mcpTools(model.requests[0], "slow_one");
    expect(tools).toContain("slow_one-echo");
    expect(tools.filter((tool) => tool.startsWith("slow_one-say_hello"))).toHaveLength(2);
    for (const tool of tools) expect(tool).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(tools).size).toBe(tools.length);
    const loaded = only(logOf(place), "session.mcp_servers_loaded");
    expect(loaded.map((e) => e.data.servers)).toEqual([
      [{ name: "slow one", status: "connected", tools: tools.length }],
    ]);
  });

  it("OE14 O131 OB17 one that never answers delays the first request by the bound only, and the model is told", async () => {
    const { server: model, place } = await mcpScene([text("Hi."), text("Again.")], () => ({
      good: server("plain"),
      never: server("hang", "initialize"),
    }));
    const env = { EVERLONG_MCP_START_WAIT_SECONDS: "6" };
    expect((await run(place, ["-p", "Hello", TRUST], { env })).code).toBe(0);
    expect(mcpTools(model.requests[0], "good")).toContain("good-echo");
    expect(mcpTools(model.requests[0], "never")).toEqual([]);
    expect(userTexts(model.requests[0]).join("\n")).toContain('MCP server "never" is still starting');
  });

  it("O131 a server that is late joins at the next turn of the run, with a notice", async () => {
    const isWoken = (request: Recorded): boolean => userTexts(request).some((one) => one.includes("done task-1"));
    const letIn = join(newPlace().folder, "let-in");
    const { server: model, place } = await mcpScene(
      (request) => {
        if (isWoken(request)) return text("Told.");
        if (toolResults(request).length === 0) return oneCall("far-work", { steps: 10, stepMs: 600, poll: 250 });
        writeFileSync(letIn, "");
        return text("It runs.");
      },
      () => ({ far: server("task"), late: server("plain", { startsWhen: letIn }) }),
    );
    const env = { EVERLONG_MCP_START_WAIT_SECONDS: "5" };
    expect((await run(place, ["-p", "First", TRUST, "--allow-tool", "mcp"], { env })).code).toBe(0);
    const [first, second, woken] = [model.requests[0], model.requests[1], model.requests.find(isWoken)];
    expect(mcpTools(first, "late")).toEqual([]);
    expect(mcpTools(second, "late")).toEqual([]);
    expect(mcpTools(woken, "late")).toContain("late-echo");
    expect(userTexts(woken).join("\n")).toContain('MCP server "late" is connected now, with 13 tools.');
  });

  it("O129 O137 its environment is small and without our key; its instructions stand in the system prompt, marked", async () => {
    const { server: model, place } = await mcpScene([oneCall("plain-environment", {}), text("Done.")], () => ({
      plain: {
        ...server("plain", { instructions: "Use echo for everything." }),
        env: { ITS_OWN: "given", FROM_OURS: `\${HANDED:-nothing}` },
      },
    }));
    const env = { HANDED: "over", OPENAI_API_KEY: "sk-notforservers0123456789", SOMETHING_ELSE: "x" };
    expect((await run(place, ["-p", "Go", TRUST, "--allow-tool", "mcp(plain)"], { env })).code).toBe(0);
    const seen = JSON.parse(toolResults(model.requests[1])[0]?.text ?? "{}") as Record<string, string>;
    expect(seen).toMatchObject({ ITS_OWN: "given", FROM_OURS: "over" });
    for (const key of ["EVERLONG_API_KEY", "EVERLONG_BASE_URL", "OPENAI_API_KEY", "SOMETHING_ELSE"])
      expect(seen).not.toHaveProperty(key);
    expect(systemOf(model.requests[0])).toMatch(
      /<mcp_server_instructions server="plain">\s*Use echo for everything\.\s*<\/mcp_server_instructions>/,
    );
  });
});

describe("where they are named", () => {
  it("O127 later places win on a name: plugin, mcp.json, user settings, the project's .mcp.json, its settings", async () => {
    const { server: model, place } = await mcpScene([text("Hi.")], () => ({}));
    // Each server has a tool by the name of the place that it comes from.
    const of = (where: string, names: string[]) =>
      Object.fromEntries(names.map((one) => [one, server("plain", { names: [where] })]));
    inHome(place, "plugins/mine/.mcp.json", { mcpServers: of("plugin", ["one", "two", "three"]) });
    inHome(place, "mcp.json", { mcpServers: of("home", ["two", "three", "four"]) });
    inHome(place, "settings.json", { mcpServers: of("setting", ["three", "four", "five"]) });
    name(place, of("project", ["four", "five"]));
    mkdirSync(join(place.folder, ".everlong"));
    const own = { mcpServers: of("own", ["five"]) };
    writeFileSync(join(place.folder, ".everlong/settings.json"), JSON.stringify(own));
    expect((await run(place, ["-p", "Hello", TRUST])).code).toBe(0);
    const offered = offeredTools(model.requests[0]);
    for (const tool of ["one-plugin", "two-home", "three-setting", "four-project", "five-own"])
      expect(offered).toContain(tool);
    for (const tool of ["two-plugin", "three-home", "four-setting", "five-project"])
      expect(offered).not.toContain(tool);
  });

  it("OB15 OE9 O12 in an untrusted folder nothing starts and one notice says so; a changed file is off until trusted again", async () => {
    const {
      server: model,
      place,
      journal,
    } = await mcpScene(
      () => text("Hi."),
      (file) => ({
        plain: server("plain", { journal: file }),
      }),
    );
    const untrusted = await run(place, ["-p", "Hello"]);
    expect(untrusted.stderr.match(/not trusted: 1 MCP server/g)).toHaveLength(1);
    expect(journal()).toEqual([]);
    expect((await run(place, ["trust"])).code).toBe(0);
    expect((await run(place, ["-p", "Hello"])).stderr).not.toContain("trusted");
    expect(mcpTools(model.requests.at(-1), "plain")).toContain("plain-echo");
    expect(pidsIn(journal())).toHaveLength(1);
    name(place, { plain: server("plain", { journal: join(dirname(place.home), "journal"), names: ["planted"] }) });
    expect((await run(place, ["-p", "Hello"])).stderr).toMatch(/Changed since this folder was trusted.*\.mcp\.json/);
    expect(mcpTools(model.requests.at(-1), "plain")).toEqual([]);
    expect(pidsIn(journal())).toHaveLength(1);
    expect((await run(place, ["-p", "/mcp"])).stdout).toMatch(/^plain {2}untrusted/);
  });

  it("OB16 N49 bad JSON, an unknown type, a missing variable: each failed with its line or field, the others connect", async () => {
    const { server: model, place } = await mcpScene([text("Hi.")], () => ({
      good: server("plain"),
      odd: { type: "carrier-pigeon", command: "x" },
      thirsty: { command: "x", args: [`\${NO_SUCH_VARIABLE}`] },
      gone: { command: "/no/such/program" },
      loud: { command: process.execPath, args: ["-e", "throw new Error('no licence\\nfor this')"] },
    }));
    inHome(place, "mcp.json", '{\n  "mcpServers": {\n    oops\n  }\n}');
    const done = await run(place, ["-p", "Hello", TRUST]);
    expect(done.code).toBe(0);
    expect(mcpTools(model.requests[0], "good")).toContain("good-echo");
    expect(done.stderr).toMatch(/mcp\.json:3:\d+ is not JSON/);
    expect(done.stderr).toMatch(/"odd".*`type` must be .*found "carrier-pigeon"/);
    expect(done.stderr).toMatch(/"thirsty".*needs the variable NO_SUCH_VARIABLE/);
    expect(done.stderr).toMatch(/MCP server "gone" is not available/);
    // One line each, whatever the program printed.
    const said = done.stderr.split("\n").filter((line) => line.startsWith("Warning: MCP server"));
    expect(said.filter((line) => /"(gone|loud|odd|thirsty)"/.test(line))).toHaveLength(4);
    expect(said.find((line) => line.includes('"loud"'))).toMatch(/is not available: it exited with code 1/);
    expect(done.stderr).not.toContain("    at ");
    const list = (await run(place, ["-p", "/mcp", TRUST])).stdout;
    expect(list).toMatch(/^good {2}connected {2}13 tools, about \d+ tokens/m);
    expect(list).toMatch(/^odd {2}failed {2}.*\.mcp\.json:1/m);
    expect(list).toMatch(/^gone {2}failed/m);
    expect(list).toMatch(/mcp\.json:3:\d+ is not JSON/);
  });

  it("O130 a project's server off this machine is not contacted without consent, and the user is told how", async () => {
    const { place } = await mcpScene([text("Hi.")], () => ({ far: { url: "http://203.0.113.7:9/mcp" } }));
    const done = await run(place, ["-p", "Hello", TRUST]);
    expect(done.stderr).toContain("everlong consent grant http://203.0.113.7:9");
    expect((await run(place, ["-p", "/mcp", TRUST])).stdout).toMatch(/^far {2}untrusted/);
    await run(place, ["trust"]);
    expect((await run(place, ["consent"])).stdout).toContain("MCP server far is http://203.0.113.7:9: nothing is sent");
  });
});

describe("calls", () => {
  it("O136 O65 asks like any tool; the rule that would allow it is named; results and errors reach the model", async () => {
    const script = [oneCall("plain-echo", { text: "hello there" }), oneCall("plain-refuse", {}), text("Done.")];
    const { server: model, place } = await mcpScene([...script, ...script], () => ({ plain: server("plain") }));
    expect((await run(place, ["-p", "Go", TRUST])).code).toBe(0);
    expect(toolResults(model.requests[1])[0]?.text).toContain("mcp(plain:echo)");
    expect((await run(place, ["-p", "Go", TRUST, "--allow-tool", "mcp(plain)"])).code).toBe(0);
    const [said, refused] = toolResults(model.requests[5]);
    expect(said?.text).toBe("hello there");
    expect(refused?.text).toContain("no, because it is Monday");
  });

  it("O135 a tool is offered only if its server's list and the deny rules leave it", async () => {
    const { server: model, place } = await mcpScene([text("Hi.")], () => ({
      plain: { ...server("plain"), tools: ["echo", "image", "slow"] },
      other: server("plain"),
    }));
    expect(
      (await run(place, ["-p", "Hello", TRUST, "--deny-tool", "mcp(plain:image)", "--deny-tool", "mcp(other)"])).code,
    ).toBe(0);
    expect(mcpTools(model.requests[0], "plain")).toEqual(["plain-echo", "plain-slow"]);
    expect(mcpTools(model.requests[0], "other")).toEqual([]);
  });

  it("O135 a tool whose description changed since loses its approval for this folder and asks again", async () => {
    const script = () => [oneCall("plain-echo", { text: "x" }), text("Done.")];
    const { server: model, place } = await mcpScene([...script(), ...script(), ...script()], () => ({
      plain: server("plain"),
    }));
    const approvals = join(place.home, "permissions.json");
    const approve = { version: 1, locations: { [place.folder]: ["mcp(plain:echo)", "mcp(plain:image)"] } };
    inHome(place, "permissions.json", approve);
    await run(place, ["-p", "Go", TRUST]);
    expect(toolResults(model.requests[1])[0]?.text).toBe("x");
    await run(place, ["-p", "Go", TRUST]);
    expect(toolResults(model.requests[3])[0]?.text).toBe("x");
    name(place, { plain: server("plain", { description: "Says it again, and mails it to everybody." }) });
    await run(place, ["-p", "Go", TRUST]);
    expect(toolResults(model.requests[5])[0]?.text).toContain("mcp(plain:echo)");
    expect(JSON.parse(readFileSync(approvals, "utf8")).locations[place.folder]).toEqual(["mcp(plain:image)"]);
  });

  it("O136 progress is told while the call runs; silence ends it", async () => {
    const { server: model, place } = await mcpScene(
      [
        oneCall("plain-slow", { steps: 3, stepMs: 400 }),
        oneCall("plain-slow", { steps: 1, stepMs: 30_000 }),
        text("Done."),
      ],
      () => ({ plain: { ...server("plain"), timeout: 3000 } }),
    );
    const done = await run(place, ["-p", "Go", TRUST, "--allow-tool", "mcp", "--output-format", "stream-json"]);
    const told = done.events.filter((e) => (e.type as string) === "tool.execution_progress");
    expect(told.map((e) => (e.data as { progressMessage: string }).progressMessage)).toContain("1/3 step 1");
    expect(toolResults(model.requests[1])[0]?.text).toBe("slow and done");
    expect(toolResults(model.requests[2])[1]?.text).toMatch(
      /MCP server "plain", tool "slow": no answer within 3000 ms/,
    );
    const [first] = only(logOf(place), "tool.execution_start");
    expect(first?.data).toMatchObject({ mcpServerName: "plain", mcpToolName: "slow" });
  });

  it("OB17 O133 2,000 tools are deferred, and found", async () => {
    const names = Array.from({ length: 2000 }, (_, i) => `make_report_number_${i}`);
    const { server: model, place } = await mcpScene(
      [
        oneCall("find_mcp_tools", { query: "report number 1234" }),
        oneCall("many-make_report_number_1234", {}),
        text("Done."),
      ],
      () => ({ many: server("plain", { names }) }),
    );
    expect((await run(place, ["-p", "Go", TRUST, "--allow-tool", "mcp"])).code).toBe(0);
    expect(mcpTools(model.requests[0], "many")).toEqual([]);
    expect(offeredTools(model.requests[0])).toContain("find_mcp_tools");
    expect(mcpTools(model.requests[1], "many")).toContain("many-make_report_number_1234");
    expect(toolResults(model.requests[2])[1]?.text).toBe("called make_report_number_1234");
  });
});

describe("/mcp", () => {
  it("O140 O129 shows one server with its secrets masked and its last lines redacted", async () => {
    const key = "ghp_0123456789abcdefABCDEF0123456789abcd";
    const { place } = await mcpScene([text("Hi.")], () => ({
      plain: {
        ...server("plain", { says: `starting with ${key}\nand hunter2-hunter2-hunter2` }),
        env: { GITHUB_TOKEN: key, PASSWORD: "hunter2-hunter2-hunter2" },
      },
      web: {
        url: "https://user:sesame-open@127.0.0.1:1/mcp?key=topsecret99",
        headers: { "X-Key": "abcdefgh12345678" },
      },
    }));
    const shown = (await run(place, ["-p", "/mcp show plain", TRUST])).stdout;
    expect(shown).toMatch(/^plain {2}connected/);
    expect(shown).toContain("GITHUB_TOKEN=…");
    expect(shown).toContain("plain-echo (read-only): Says it again.");
    expect(shown).toContain("starting with");
    const web = (await run(place, ["-p", "/mcp show web", TRUST])).stdout;
    for (const secret of [key, "hunter2-hunter2-hunter2", "sesame-open", "topsecret99", "abcdefgh12345678"])
      expect(shown + web).not.toContain(secret);
    expect((await run(place, ["-p", "/mcp show nobody", TRUST])).code).toBe(2);
    expect((await run(place, ["-p", "/mcp dance plain", TRUST])).code).toBe(2);
    expect((await run(place, ["-p", "/mcp disable plain", TRUST])).stdout).toContain("is off for this session");
    expect((await run(place, ["-p", "/mcp reconnect plain", TRUST])).stdout).toContain('"plain" is connected');
    expect((await run(place, ["-p", "/mcp reload", TRUST])).stdout).toMatch(/^plain {2}connected/);
    // What it prints is filtered before it is kept.
    await run(place, ["-p", "Hello", TRUST]);
    const kept = readFileSync(join(place.home, "sessions", logSession(place), "mcp", "plain.log"), "utf8");
    expect(kept).toContain("starting with");
    expect(kept).not.toContain(key);
  });

  it("O140 a server that answers 401 needs-auth, and says which header to set", async () => {
    const http = createServer((_req, res) => res.writeHead(401).end("no"));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void http.close());
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const { place } = await mcpScene([text("Hi.")], () => ({ locked: { url } }));
    const done = await run(place, ["-p", "Hello", TRUST]);
    expect(done.code).toBe(0);
    expect((await run(place, ["-p", "/mcp", TRUST])).stdout).toMatch(/^locked {2}needs-auth.*headers.*Authorization/);
    const changes = only(logOf(place, logSession(place)), "session.mcp_server_status_changed");
    expect(changes.map((e) => e.data.status)).toContain("needs-auth");
  });

  it("O131 without any server it says so, and the SDK is not loaded", async () => {
    const { place } = await mcpScene(
      () => text("Hi."),
      () => ({}),
    );
    expect((await run(place, ["-p", "/mcp", TRUST])).stdout).toMatch(/^No MCP servers configured/);
    const part = join(import.meta.dirname, "../../dist/part");
    const heavy = readdirSync(part).filter((file) => /\bMcpError\b/.test(readFileSync(join(part, file), "utf8")));
    expect(heavy).not.toEqual([]);
    const loadedBy = async (): Promise<string[]> => {
      const list = join(dirname(place.home), "loaded");
      writeFileSync(list, "");
      // The program opens its parts itself, to load them with the code that the build kept.
      const code = `import fs from "node:fs"; const { openSync } = fs;
        fs.openSync = (path, ...more) => { fs.appendFileSync(${JSON.stringify(list)}, path + "\\n"); return openSync(path, ...more); };`;
      const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
      expect((await run(place, ["-p", "Hello", TRUST], { env })).code).toBe(0);
      const paths = readFileSync(list, "utf8").split("\n");
      return heavy.filter((file) => paths.some((path) => path.endsWith(`/${file}`)));
    };
    expect(await loadedBy()).toEqual([]);
    name(place, { plain: server("plain") });
    expect(await loadedBy()).not.toEqual([]);
  });
});

describe("the end", () => {
  it("O55 no server outlives us: not SIGINT, not SIGKILL", async () => {
    const {
      server: model,
      place,
      journal,
    } = await mcpScene(
      () => oneCall("bash", { command: "sleep 60", description: "wait" }),
      (file) => ({ plain: server("plain", { journal: file, grandchild: true }) }),
    );
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const before = pidsIn(journal()).length;
      const asked = model.requests.length;
      const child = start(place, ["-p", "Go", TRUST, "--allow-all"]);
      await until("the request", () => model.requests.length > asked);
      const pids = await until("the servers", () =>
        pidsIn(journal()).length >= before + 2 ? pidsIn(journal()) : undefined,
      );
      child.kill(signal);
      const done = await child.done;
      if (signal === "SIGINT") expect(done.code).toBe(130);
      await until(`their end after ${signal}`, () => !pids.some(isAlive));
    }
  });

  it("O55 nor do they outlive a routine end", async () => {
    const { place, journal } = await mcpScene([text("Hi.")], (file) => ({
      plain: server("plain", { journal: file, grandchild: true }),
    }));
    expect((await run(place, ["-p", "Hello", TRUST])).code).toBe(0);
    const pids = pidsIn(journal());
    expect(pids).toHaveLength(2);
    await until("their end", () => !pids.some(isAlive));
  });
});

/** Of the session that was begun last. */
function logSession({ home }: Place): string {
  const dir = join(home, "sessions");
  const age = (id: string): number => statSync(join(dir, id)).birthtimeMs;
  return (
    readdirSync(dir)
      .sort((a, b) => age(a) - age(b))
      .at(-1) ?? ""
  );
}
