// What hooks and servers of a project start: found however it is named, and noticed when it changes.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ABSENT, changedAmong, startedBy } from "./started-files.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "everlong-started-")));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text = "x", mode = 0o644): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), mode);
  return join(root, path);
}

const hooksFile = (text: string) => ({ path: put(".everlong/hooks/h.json", text), kind: "hooks" as const, hash: "" });
const hook = (bash: string, more: object = {}): string =>
  JSON.stringify({ version: 1, hooks: { preToolUse: [{ bash, ...more }] } });
/** Those that are there. */
const startedIn = (text: string): string[] =>
  startedBy(hooksFile(text), root, root)
    .filter(({ hash }) => hash !== ABSENT)
    .map(({ path }) => relative(root, path));
const server = (entry: object): string[] => {
  const path = put(".mcp.json", JSON.stringify({ mcpServers: { s: entry } }));
  return startedBy({ path, kind: "mcpServers", hash: "" }, root, root).map(({ path: one }) => relative(root, one));
};

describe("startedBy", () => {
  beforeEach(() => {
    put("scripts/x.sh");
    put("scripts/y.mjs");
    put("scripts/guard");
    put("tool", "x", 0o755);
    put("data.db");
    put("src/app.css");
    put("pkg/mod/__main__.py");
    put("server/index.js");
    put("package.json", JSON.stringify({ scripts: { check: "node scripts/y.mjs" } }));
    put("Makefile");
  });

  const commands: [string, string[]][] = [
    ["./scripts/x.sh", ["scripts/x.sh"]],
    ["bash scripts/x.sh --flag", ["scripts/x.sh"]],
    ["bash -lc './scripts/x.sh && echo ok'", ["scripts/x.sh"]],
    ['"$PWD"/scripts/x.sh', ["scripts/x.sh"]],
    [`\${CLAUDE_PROJECT_DIR}/scripts/x.sh`, ["scripts/x.sh"]],
    ["scripts/'x'.sh", ["scripts/x.sh"]],
    ["cd scripts/ && node y.mjs", ["scripts/y.mjs"]],
    ["cd scripts && node y.mjs", ["scripts/y.mjs"]],
    ["cd scripts && sh guard", ["scripts/guard"]],
    ["sh scripts/guard", ["scripts/guard"]],
    ["bash -eu scripts/guard data.db", ["scripts/guard"]],
    [". scripts/guard && true", ["scripts/guard"]],
    ["sh < scripts/guard", ["scripts/guard"]],
    ["cat scripts/guard", []],
    ["node scripts/y", ["scripts/y.mjs"]],
    ["tool data.db src/app.css", ["tool"]],
    ["npm run check", ["package.json", "scripts/y.mjs"]],
    ["make lint", ["Makefile"]],
    ["python3 -m pkg.mod", ["pkg/mod/__main__.py"]],
    ["for f in scripts/*; do . $f; done", ["scripts/x.sh", "scripts/y.mjs"]],
    ["echo hi > /dev/null; /usr/bin/env true; jq .tool", []],
    ["npx prettier --check .", []],
  ];
  it.each(commands)("N11 a hook %j", (command, expected) => {
    expect(startedIn(hook(command))).toEqual(expected);
  });

  it("N11 an absolute path, a working folder of its own, an escape in the JSON", () => {
    expect(startedIn(hook(join(root, "scripts/x.sh")))).toEqual(["scripts/x.sh"]);
    expect(startedIn(hook("node y.mjs", { cwd: "scripts/" }))).toContain("scripts/y.mjs");
    expect(startedIn(hook("@").replace("@", "\\u002e/scripts/x\\u002esh"))).toEqual(["scripts/x.sh"]);
  });

  it("N11 servers: command and arguments, relative and absolute, packages, folders", () => {
    expect(server({ command: "node", args: ["server/"] })).toEqual(["server/index.js"]);
    expect(server({ command: "./tool", args: ["--db", "data.db"] })).toEqual(["tool"]);
    expect(server({ args: ["scripts/guard"], command: "sh" })).toEqual(["scripts/guard"]);
    expect(server({ command: "npm", args: ["run", "check"] })).toEqual(["package.json", "scripts/y.mjs"]);
    expect(server({ command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] })).toEqual([]);
    expect(server({ command: "uvx", args: ["mcp-server-git"] })).toEqual([]);
  });

  it("N11 an agent's own servers and hooks in settings count, other settings do not", () => {
    const agent = put(".everlong/agents/a.md", "---\nmcp-servers:\n  s:\n    command: ./scripts/x.sh\n---\nYou help.");
    expect(startedBy({ path: agent, kind: "agents", hash: "" }, root, root)).toHaveLength(1);
    const settings = put(".everlong/settings.json", '{"permissions":{"allow":["shell(./scripts/x.sh)"]}}');
    expect(startedBy({ path: settings, kind: "settings", hash: "" }, root, root)).toEqual([]);
  });

  it("N11 a change, a file that comes, one that goes, and a link that leads elsewhere are noticed", () => {
    symlinkSync("x.sh", join(root, "scripts/link.sh"));
    const text = hook("./scripts/link.sh; ./later.sh; ./scripts/y.mjs");
    const look = () => startedBy(hooksFile(text), root, root);
    expect(look().find(({ path }) => path.endsWith("later.sh"))?.hash).toBe(ABSENT);
    expect(changedAmong(look())).toBeUndefined();
    for (const change of [
      () => put("scripts/x.sh", "changed"),
      () => put("later.sh"),
      () => rmSync(join(root, "scripts/y.mjs")),
      () => {
        rmSync(join(root, "scripts/link.sh"));
        symlinkSync("/bin/true", join(root, "scripts/link.sh"));
      },
    ]) {
      const seen = look();
      change();
      expect(changedAmong(seen), change.toString()).toBeDefined();
    }
  });
});
