// F102 F106: the documents that a newcomer, a contributor and an agent read first, and the order of what they say.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "..", name), "utf8");

it("F102 the README begins with what it is, pictures and two commands; then agents, figures, the picture, the comparison, privacy", () => {
  const text = read("README.md");
  const [head = ""] = text.split("\n## ");
  const [, paragraph = "", table = "", commands = ""] = head.split("\n\n");
  expect(paragraph.split("\n").length).toBeLessThanOrEqual(5);
  expect(table.match(/!\[/g)).toHaveLength(2);
  expect(commands).toMatch(/npm i -g everlong[\s\S]*npm start[\s\S]*\neverlong\b/);
  const wanted = ["Connect", "Measured", "How it works", "Compared", "Privacy"];
  expect([...text.matchAll(/^## (.*)$/gm)].map(([, title = ""]) => title).slice(0, 5)).toEqual(
    wanted.map((title) => expect.stringMatching(new RegExp(`^${title}`))),
  );
  const section = (title: string) => text.split(new RegExp(`^## ${title}.*$`, "m"))[1]?.split("\n## ")[0] ?? "";
  for (const agent of [
    "Codex",
    "Claude Code",
    "Copilot CLI",
    "Gemini CLI",
    "opencode",
    "Qwen Code",
    "pi",
    "Droid",
    "Warp",
    "any SDK",
  ])
    expect(section("Connect"), agent).toMatch(new RegExp(`^\\| ${agent} \\| .*\``, "m"));
  // Each figure has a baseline and the command that gives it again.
  const rows = section("Measured")
    .split("\n")
    .filter((line) => /^\| (?!what|---)/.test(line) && !/^\|[-|]+$/.test(line));
  expect(rows.length).toBeGreaterThanOrEqual(5);
  for (const row of rows) expect(row.split("|")[4], row).toMatch(/`(npm|everlong) [^`]+`/);
  expect(section("Compared")).toMatch(/where we lose[\s\S]*\nLimits:/);
  expect(text).toMatch(/MIT/);
});

it("F106 changelog, contributing, rules with their reasons, licence, security", () => {
  expect(/^## (.*)$/m.exec(read("CHANGELOG.md"))?.[1]).toBe("Unreleased");
  const contributing = read("CONTRIBUTING.md");
  for (const part of [/npm test -- \S+\.test\.ts/, /## Add a tool/, /## Add a view/, /## Size of a change/])
    expect(contributing).toMatch(part);
  expect(read("AGENTS.md")).toContain("| rule | why | what enforces it |");
  const rules = read("AGENTS.md")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| rule"));
  expect(rules.length).toBeGreaterThan(8);
  for (const rule of rules)
    expect(
      rule
        .split("|")
        .slice(1, 4)
        .every((cell) => cell.trim() !== ""),
      rule,
    ).toBe(true);
  expect(read("docs/architecture.md")).toContain("## I want to change");
  expect(read("LICENSE")).toMatch(/^MIT License/);
  expect(read("SECURITY.md")).toMatch(/Report a problem/);
});
