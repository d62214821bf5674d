// Rules: parsing and matching.
import { describe, expect, it } from "vitest";
import { matchesRule } from "./match-rule.ts";
import type { PermissionPart } from "./part.ts";
import { parseRule } from "./rule.ts";
import { literalWord } from "./shell/word.ts";
import { rules } from "./test-place.ts";

const shell = (command: string): PermissionPart => ({
  kind: "shell",
  index: 0,
  text: command,
  words: command.split(" ").map(literalWord),
  mayRunOthers: false,
  transparent: false,
  changesOwn: false,
});
const write = (real: string): PermissionPart => ({ kind: "write", index: 0, path: real, real });
const url = (text: string): PermissionPart => ({ kind: "url", index: 0, url: text });
const mcp = (server: string, tool: string): PermissionPart => ({
  kind: "mcp",
  index: 0,
  server,
  tool,
  readOnly: false,
});
const strict = (rule: string, part: PermissionPart): boolean =>
  matchesRule(rules(rule)[0]!, part, "/srv/app", "strict");
const wide = (rule: string, part: PermissionPart): boolean => matchesRule(rules(rule)[0]!, part, "/srv/app", "wide");

describe("parsing", () => {
  it.each([
    ["bash", "shell"],
    ["create", "write"],
    ["edit", "write"],
    ["view", "read"],
    ["grep", "read"],
    ["glob", "read"],
    ["web_fetch", "url"],
    ["memory", "memory"],
    ["store_memory", "memory"],
    ["vote_memory", "memory"],
    ["hook", "hook"],
    ["Bash(git:*)", "shell"],
  ])("A7.1 %s is kind %s", (text, kind) => {
    expect(parseRule(text)).toMatchObject({ ok: true, value: { kind, text } });
  });

  it.each([
    "frobnicate",
    "shell(",
    "shell)",
    "shell()",
    "",
    "shell(a) x",
    "memory(x)",
    "sql",
    "shell(git; rm)",
    "shell(g*t)",
  ])("A7.1 %j is refused with the list of kinds", (text) => {
    const parsed = parseRule(text);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.error).toContain("read, write, shell, url, memory, mcp, hook");
  });
});

describe("A7.2 shell rules match by whole words", () => {
  it.each([
    ["shell(git push)", "git push -f", true],
    ["shell(git push:*)", "git push -f", true],
    ["shell(git push:*)", "git push", true],
    ["shell(git:*)", "git status", true],
    ["shell(git)", "git", true],
    ["shell(git:*)", "gitea admin", false],
    ["shell(git)", "gitea", false],
    ["shell(git push)", "git pushx", false],
    ["shell(git push)", "git pull", false],
    ["shell(git push)", "git", false],
    ["shell(git:*)", "./git status", false],
    ["shell(npm run test:*)", "npm run test -- x", true],
    ["shell(npm run test:*)", "npm run test:unit", false],
    ["shell", "anything at all", true],
    ["shell(*)", "anything at all", true],
    ["write", "git", false],
  ])("%s against %s: %s", (rule, command, expected) => {
    expect(strict(rule, shell(command))).toBe(expected);
  });

  it.each([
    ["shell(rm)", "/bin/rm x"],
    ["shell(rm)", "RM x"],
    ["shell(rm)", "ｒｍ x"],
    ["shell(git push)", "git -C sub push"],
    ["shell(git push)", "git --no-pager -c a=b push --force"],
  ])("a deny rule %s also meets %s", (rule, command) => {
    expect(wide(rule, shell(command))).toBe(true);
    expect(strict(rule, shell(command))).toBe(false);
  });
});

describe("A7.3 path rules match by whole components", () => {
  it.each([
    ["write(src/**)", "/srv/app/src/a/b.ts", true],
    ["write(src/*)", "/srv/app/src/a.ts", true],
    ["write(src/*)", "/srv/app/src/a/b.ts", false],
    ["write(*.md)", "/srv/app/docs/x.md", true],
    ["write(docs/*.md)", "/srv/app/a/docs/x.md", true],
    ["write(docs/*.md)", "/srv/app/mydocs/x.md", false],
    ["write(src)", "/srv/app/src/a.ts", false],
    ["write(src/)", "/srv/app/src/a.ts", true],
    ["write(/srv/app/**)", "/srv/app-evil/a", false],
    ["write(/srv/app/**)", "/srv/app/a", true],
    ["write(../other/**)", "/srv/other/a", true],
    ["write(a?c.[tj]s)", "/srv/app/abc.ts", true],
    ["write(a?c.[!tj]s)", "/srv/app/abc.ts", false],
    ["write(**/x/**/y)", "/srv/app/x/1/2/y", true],
    ["write", "/anywhere", true],
    ["read(src/**)", "/srv/app/src/a", false],
  ])("%s against %s: %s", (rule, path, expected) => {
    expect(strict(rule, write(path))).toBe(expected);
  });

  it("a deny rule that names a folder holds for all that is in it, in any letter case", () => {
    expect(wide("write(secrets)", write("/srv/app/Secrets/a/b"))).toBe(true);
    expect(wide("write(secrets)", write("/srv/app/secrets-not"))).toBe(false);
  });

  it("a pattern of many stars ends (a backtracking matcher would not)", () => {
    expect(strict(`write(${"*a".repeat(60)}b)`, write(`/${"a".repeat(250)}`))).toBe(false);
  });
});

describe("A7.3 url rules", () => {
  it.each([
    ["url(example.com)", "https://example.com/a", true],
    ["url(example.com)", "https://EXAMPLE.com./a", true],
    ["url(example.com)", "http://example.com/a", false],
    ["url(example.com)", "https://example.com:8443/a", false],
    ["url(example.com:8443)", "https://example.com:8443/a", true],
    ["url(example.com)", "https://example.com.evil.org/", false],
    ["url(example.com)", "https://example.com@evil.org/", false],
    ["url(example.com)", "https://sub.example.com/", false],
    ["url(http://example.com)", "http://example.com/a", true],
    ["url(http://example.com)", "https://example.com/a", false],
    ["url(https://*.example.com/api)", "https://a.b.example.com/api/x", true],
    ["url(https://*.example.com/api)", "https://example.com/api", false],
    ["url(https://*.example.com/api)", "https://a.example.com/apix", false],
    ["url(https://*.example.com/api)", "https://a.evilexample.com/api", false],
    ["url(example.com/api)", "https://example.com/api/../secret", false],
    ["url(example.com/api)", "https://example.com/api/..%2fsecret", false],
    ["url(example.com)", "not a url", false],
    ["url", "http://whatever", true],
  ])("%s against %s: %s", (rule, text, expected) => {
    expect(strict(rule, url(text))).toBe(expected);
  });

  it("a deny rule without a scheme holds for every scheme and port", () => {
    expect(wide("url(evil.org)", url("http://evil.org:8080/x"))).toBe(true);
    expect(wide("url(evil.org)", url("https://not-evil.org/x"))).toBe(false);
  });
});

it.each([
  ["mcp(github)", "github", "any", true],
  ["mcp(github:*)", "github", "any", true],
  ["mcp(github:list)", "github", "list", true],
  ["mcp(github:list)", "github", "list_all", false],
  ["mcp(github)", "github2", "list", false],
  ["mcp(github:sampling)", "github", "sampling", true],
  ["mcp", "x", "y", true],
])("A7.3 %s against %s:%s: %s", (rule, server, tool, expected) => {
  expect(strict(rule, mcp(server, tool))).toBe(expected);
});
