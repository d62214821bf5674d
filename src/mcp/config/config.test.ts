// Configuration of MCP servers: sources, precedence, trust, variables, and whatever else stands in such a file.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serverEnvironment } from "./environment.ts";
import { expandText } from "./expand.ts";
import { type LoadParts, loadServers, type PlannedServer } from "./load.ts";
import { configSecrets } from "./secret.ts";
import { parseServer } from "./server-config.ts";
import { fileSource, mapSource, projectSources, type ServerSource, userSource } from "./source.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "everlong-mcp-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
};
const parts: LoadParts = { variables: {}, consented: async () => false };
const load = async (sources: (ServerSource | undefined)[], more: Partial<LoadParts> = {}) =>
  loadServers(
    sources.filter((s) => s !== undefined),
    { ...parts, ...more },
  );
const reasonOf = (server: PlannedServer | undefined) => (server && "reason" in server ? server.reason : undefined);

describe("sources", () => {
  it("O127 a later source wins on a name, and the nearest project file wins over the root's", async () => {
    write("mcp.json", JSON.stringify({ mcpServers: { a: { command: "user" }, b: { command: "user" } } }));
    write("work/.mcp.json", JSON.stringify({ mcpServers: { b: { command: "root" }, c: { command: "root" } } }));
    write("work/sub/.mcp.json", JSON.stringify({ mcpServers: { c: { command: "near" } } }));
    const places = {
      everlongHome: folder,
      projectFolders: [join(folder, "work"), join(folder, "work", "sub")],
      accepts: () => true,
    };
    const settings = mapSource("user", "user settings", { a: { command: "settings" } });
    const { servers } = await load([await userSource(places), settings, ...(await projectSources(places))]);
    const commands = servers.map((s) => ("config" in s && s.config.line.type === "stdio" ? s.config.line.command : ""));
    expect(commands).toEqual(["settings", "root", "near"]);
  });

  it("OB15 what is not trusted is listed, never ready, and hides no server of the user", async () => {
    write(".mcp.json", JSON.stringify({ mcpServers: { mine: { command: "evil" }, new: { command: "evil" } } }));
    const asked: string[] = [];
    const project = await projectSources({
      everlongHome: folder,
      projectFolders: [folder],
      accepts: (path, bytes) => asked.push(`${path} ${bytes.length > 0}`) === 0,
    });
    const { servers } = await load([mapSource("user", "settings", { mine: { command: "ok" } }), ...project]);
    expect(servers.map((s) => `${s.name} ${s.type} ${s.origin}`)).toEqual(["mine ready user", "new untrusted project"]);
    expect(reasonOf(servers[1])).toMatch(/everlong trust/);
    expect(asked).toEqual([`${join(folder, ".mcp.json")} true`]);
  });

  it("O130 a project's server off this machine needs consent; the user's own, and one on this machine, does not", async () => {
    const remote = { r: { url: "https://mcp.example.com/x" }, here: { url: "http://127.0.0.1:9/x" } };
    const asProject = await load([mapSource("project", ".mcp.json", remote)]);
    expect(asProject.servers.map((s) => s.type)).toEqual(["ready", "untrusted"]);
    expect(reasonOf(asProject.servers[1])).toContain("https://mcp.example.com");
    const origins: string[] = [];
    const consented = async (origin: string) => origins.push(origin) > 0;
    const agreed = await load([mapSource("project", ".mcp.json", remote)], { consented });
    expect(agreed.servers.map((s) => s.type)).toEqual(["ready", "ready"]);
    expect(origins).toEqual(["https://mcp.example.com"]);
    const asUser = await load([mapSource("user", "settings", remote)]);
    expect(asUser.servers.map((s) => s.type)).toEqual(["ready", "ready"]);
  });

  it("OB16 bad JSON, an unknown type and a missing variable fail alone, with line and field", async () => {
    const bad = write("bad.json", '{\n  "mcpServers": {\n    "a": oops\n}}');
    const good = write(
      "good.json",
      `{ // other products write comments
  "mcpServers": {
    "odd": {"type": "carrier-pigeon", "command": "x"},
    "unset": {"command": "x", "env": {"KEY": "\${NOT_THERE}"}},
    "seven": {"command": 7},
    "none": {},
    "fine": {"command": "x", "somethingElse": true}
  }
}`,
    );
    const { servers, problems } = await load([
      await fileSource("user", bad, () => true),
      await fileSource("user", good, () => true),
    ]);
    expect(problems).toEqual([expect.stringMatching(/bad\.json:3:\d+ is not JSON/)]);
    const reasons = Object.fromEntries(servers.map((s) => [s.name, reasonOf(s)]));
    expect(reasons["fine"]).toBeUndefined();
    expect(reasons["odd"]).toMatch(/good\.json:3: .*`type` must be stdio.*carrier-pigeon/);
    expect(reasons["unset"]).toMatch(/good\.json:4: .*`env\.KEY`.*NOT_THERE/);
    expect(reasons["seven"]).toMatch(/`command`/);
    expect(reasons["none"]).toMatch(/`command` or `url` is missing/);
  });

  it("OI14 any bytes: no throw, and every other file still loads", async () => {
    const other = mapSource("user", "settings", { ok: { command: "x" } });
    const texts = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ maxLength: 200 }).map((s) => Buffer.from(s)),
      fc.json().map((s) => Buffer.from(s)),
      fc.json().map((s) => Buffer.from(`{"mcpServers":{"x":${s}}}`)),
      fc
        .constantFrom("[".repeat(500_000), '{"mcpServers":'.repeat(50_000), '{"mcpServers":{"__proto__":{}}}')
        .map(Buffer.from),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (bytes) => {
        const source = await fileSource("user", write("any.json", bytes), () => true);
        const { servers } = await load([source, other]);
        expect(servers.find((s) => s.name === "ok")?.type).toBe("ready");
      }),
      { numRuns: 150 },
    );
  });

  it("OI14 O12 a valid file nested 20,000 deep, trusted or not, also behind a key that stands twice: every other server is ready", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const other = mapSource("user", "settings", { ok: { command: "x" } });
    for (const entry of [
      `{"x":${deep}}`,
      `{"x":{"command":"x","more":${deep}}}`,
      `{"x":${deep},"x":{"command":"x"}}`,
    ]) {
      const path = write("deep.json", `{"mcpServers":${entry}}`);
      for (const trusted of [true, false]) {
        const { servers } = await load([await fileSource("project", path, () => trusted), other]);
        expect(servers.find((s) => s.name === "ok")?.type).toBe("ready");
      }
    }
    const broken = await fileSource("user", write("deep.json", `{"mcpServers":{"x":${deep}}}`), () => true);
    expect(broken?.problem).toContain("nested deeper than 100 levels");
  });

  it("OB16 a file that is too large, a folder or a loop of links is a problem, an absent one is not", async () => {
    const large = write("large.json", Buffer.alloc(2 * 1024 * 1024, 32));
    mkdirSync(join(folder, "folder.json"));
    symlinkSync(join(folder, "loop.json"), join(folder, "loop.json"));
    write("real.json", '{"mcpServers":{"linked":{"command":"x"}}}');
    symlinkSync(join(folder, "real.json"), join(folder, "link.json"));
    const read = (name: string) => fileSource("user", join(folder, name), () => true);
    expect((await read("absent.json"))?.problem).toBeUndefined();
    for (const path of ["large.json", "folder.json", "loop.json"]) expect((await read(path))?.problem).toContain(path);
    expect(Object.keys((await read("link.json"))?.servers ?? {})).toEqual(["linked"]);
    expect(large).toContain("large");
  });
});

describe("one server", () => {
  const parse = (entry: unknown, variables = {}, name = "s") => parseServer(name, entry, variables);

  it("O128 type by command or url, aliases, defaults", () => {
    expect(parse({ command: "x", url: "https://a" })).toMatchObject({ ok: true, value: { line: { type: "stdio" } } });
    expect(parse({ type: "local", command: "x" })).toMatchObject({ value: { line: { type: "stdio" }, tools: ["*"] } });
    expect(parse({ url: "https://a/b", timeout: 5 })).toMatchObject({
      value: { line: { type: "http" }, timeoutMs: 5 },
    });
    expect(parse({ type: "sse", url: "https://a" })).toMatchObject({ value: { line: { type: "sse" } } });
    expect(parse({ type: "http", command: "x" }).ok).toBe(false);
    expect(parse({ url: "file:///etc/passwd" }).ok).toBe(false);
    expect(parse({ url: "https://a", headers: { "a b": "c" } }).ok).toBe(false);
    expect(parse({ url: "https://a", headers: { a: "b\r\nc: d" } }).ok).toBe(false);
  });

  it("O128 variables expand everywhere, once", () => {
    const v = (name: string) => `\${${name}}`;
    const variables = { A: "1", EMPTY: "", NEST: v("A") };
    const entry = { command: v("A"), args: [v("EMPTY:-two"), v("NEST"), "$A"], env: { K: v("X:-y") } };
    expect(parse(entry, variables)).toMatchObject({
      value: { line: { command: "1", args: ["two", v("A"), "$A"], env: { K: "y" } } },
    });
    expect(expandText(v("EMPTY"), variables, "f")).toEqual({ ok: true, value: "" });
  });

  it("A7.3 a name that could be read as another rule is refused", () => {
    for (const name of ["a:b", "a)", "(", "", "*", " a", "a\n"])
      expect(parse({ command: "x" }, {}, name).ok).toBe(false);
    for (const name of ["github", "@org/server", "my server", "日本"])
      expect(parse({ command: "x" }, {}, name).ok).toBe(true);
  });

  it("mcp.disabled and enabled: false keep a server off", async () => {
    const sources = [mapSource("user", "s", { a: { command: "x", enabled: false }, b: { command: "x" } })];
    expect((await load(sources, { disabled: ["b"] })).servers.map((s) => s.type)).toEqual(["disabled", "disabled"]);
  });

  it("O129 the environment is small, has no key of ours, and takes what the user wrote", () => {
    const base = {
      PATH: "/bin",
      HOME: "/h",
      LC_ALL: "C",
      https_proxy: "http://p",
      OPENAI_API_KEY: "sk-1",
      EVERLONG_X: "1",
      RANDOM: "r",
      LANG: "has sk-1 inside",
    };
    expect(serverEnvironment({ base, secrets: ["sk-1"] }, { TOKEN: "t" })).toEqual({
      PATH: "/bin",
      HOME: "/h",
      LC_ALL: "C",
      https_proxy: "http://p",
      TOKEN: "t",
    });
  });
});

it("O140 configSecrets: keys of environment, options, headers and address, and no ordinary word", () => {
  const of = (entry: Record<string, unknown>) => {
    const config = parseServer("s", entry, {});
    if (!config.ok) throw new Error(config.error);
    return configSecrets(config.value);
  };
  const stdio = of({
    command: "run",
    args: ["--api-key=abc123def", "--token", "tok-987654", "--mode", "production", "--auth", "--verbose"],
    env: { GITHUB_TOKEN: "ghp_12345678", NODE_ENV: "production", DB_PASSWORD: "hunter2hunter2", KEY: "1" },
  });
  expect(stdio).toEqual(["ghp_12345678", "hunter2hunter2", "abc123def", "tok-987654"]);
  const remote = of({
    url: "https://me-myself:s%40same1@h.example/mcp?k=topsecret",
    headers: { A: "Bearer abcdef12" },
  });
  for (const secret of ["topsecret", "s%40same1", "abcdef12", "Bearer abcdef12"]) expect(remote).toContain(secret);
});
