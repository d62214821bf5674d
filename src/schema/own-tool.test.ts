// Facts about tools stand in one table: no other place of the source lists our tools by name, and none names one that is not there.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { ownToolOf, ownTools } from "./own-tool.ts";

const SRC = join(import.meta.dirname, "..");
/** The built-in model calls tools, as any model does. */
const IS_MODEL = /^model\/offline\//;
/** A workflow says itself which tools it works with, as an agent's definition does. */
const IS_WORKFLOW = "agent/research/refuse.ts";
/** The same words mean something else here: what happened to a file. */
const OPERATIONS = '"create", "edit", "view"';

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|-fixture\.ts$/.test(path))
  .map((path) => ({ path: relative(SRC, join(SRC, path)), text: readFileSync(join(SRC, path), "utf8") }));
const names = new Set<string>(ownTools().flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]));

/** Lists of literals of which at least two are tools of ours. */
function listsIn(text: string): string[] {
  return [...text.matchAll(/\[((?:\s*"[a-zA-Z_]+",?)+\s*)\]/g)].flatMap(([, list = ""]) => {
    const words = [...list.matchAll(/"([a-zA-Z_]+)"/g)].map(([, word = ""]) => word);
    return new Set(words).size > 1 && words.every((word) => names.has(word)) ? [list.trim()] : [];
  });
}

describe("facts of tools", () => {
  it("no list of tool names outside of the table", () => {
    const lists = sources
      .filter(({ path }) => !IS_MODEL.test(path) && path !== IS_WORKFLOW && path !== "schema/own-tool.ts")
      .flatMap(({ path, text }) => listsIn(text).map((list) => `${path}: ${list}`))
      .filter((line) => !line.endsWith(OPERATIONS));
    expect(lists).toEqual([]);
    expect(listsIn('const A = new Set(["view", "grep"]);')).toEqual(['"view", "grep"']);
  });

  it("every row is a tool that some file defines, and every tool that is defined has its row", () => {
    const defined = sources.flatMap(({ text }) =>
      [...text.matchAll(/\.\.\.ownTool\("(\w+)"\)/g)].map(([, name]) => name),
    );
    expect(defined.toSorted()).toEqual(
      ownTools()
        .map((tool) => tool.name)
        .toSorted(),
    );
    const nameless = sources.filter(({ text }) => text.includes("defineTool({") && !text.includes("...ownTool("));
    expect(nameless.map(({ path }) => path)).toEqual([]);
  });

  it("a name of another agent means one tool of ours", () => {
    const aliases = ownTools().flatMap((tool) => tool.aliases ?? []);
    expect(new Set(aliases.map((alias) => alias.toLowerCase())).size).toBe(aliases.length);
    expect([ownToolOf("Bash")?.name, ownToolOf("webfetch")?.name, ownToolOf("MultiEdit")?.name]).toEqual([
      "bash",
      "web_fetch",
      "edit",
    ]);
  });
});
