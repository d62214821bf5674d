// Facts about tools stand in one table: no other place of the source lists our tools or asks for one by name, and none names one that is not there.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";
import { describe, expect, it } from "vitest";
import { ownToolOf, ownTools } from "./own-tool.ts";

const SRC = join(import.meta.dirname, "..");
/** The built-in model calls tools, as any model does. */
const IS_MODEL = /^model\/offline\//;
/** A workflow says itself which tools it works with, as an agent's definition does. */
const IS_WORKFLOW = /^agent\/research\//;
/** The same words mean something else here. */
const OTHER_MEANING = [
  /: "create", "edit", "view"$/, // what happened to a file
  /^session\/transcript\/once\.ts: \{ task_complete \}$/, // why autopilot ended
];
/** Who asks for one tool by its name has a reason: it has or makes its calls. */
const MAY_ASK = [
  /^tool\//, // a tool's own code
  /^runtime\/demo\//, // the story of the demo makes calls itself, as a model does
];

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|-fixture\.ts$/.test(path))
  .map((path) => ({ path: relative(SRC, join(SRC, path)), text: readFileSync(join(SRC, path), "utf8") }));
const names = new Set<string>(ownTools().flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]));
/** Files without one need not be parsed. */
const NAME = new RegExp(`\\b(?:${[...names].join("|")})["\\s]*[":]`);

/** Lists of literals of which at least two are tools of ours. */
function listsIn(text: string): string[] {
  return [...text.matchAll(/\[((?:\s*"[a-zA-Z_]+",?)+\s*)\]/g)].flatMap(([, list = ""]) => {
    const words = [...list.matchAll(/"([a-zA-Z_]+)"/g)].map(([, word = ""]) => word);
    return new Set(words).size > 1 && words.every((word) => names.has(word)) ? [list.trim()] : [];
  });
}

/** The tools that an object's keys name: most of its keys, or one whose name is no everyday word. */
function keysIn(text: string): string[] {
  const objects: string[] = [];
  new Visitor({
    ObjectExpression({ properties }) {
      const keys = properties.flatMap((one) => {
        if (one.type !== "Property" || one.computed || one.shorthand) return [];
        return one.key.type === "Identifier"
          ? [one.key.name]
          : one.key.type === "Literal"
            ? [String(one.key.value)]
            : [];
      });
      const tools = keys.filter((key) => names.has(key));
      const isOfTools = tools.length > 1 && tools.length * 2 > keys.length;
      if (isOfTools || tools.some((key) => key.includes("_"))) objects.push(`{ ${tools.join(", ")} }`);
    },
  }).visit(parseSync("source.ts", text).program);
  return objects;
}

/** Comparisons of what is called a tool or a name with a tool's name, those of a `switch` too. */
function testsIn(text: string): string[] {
  const tests: string[] = [];
  const test = (asked: Span, ...values: (Span | null)[]): void => {
    const subject = text.slice(asked.start, asked.end);
    if (!/(?:tool|name)\W*$/i.test(subject)) return;
    for (const value of values) {
      const word = value ? text.slice(value.start + 1, value.end - 1) : "";
      if (names.has(word)) tests.push(`${subject} is ${word}`);
    }
  };
  new Visitor({
    BinaryExpression({ left, operator, right }) {
      if (!/^[!=]==?$/.test(operator)) return;
      test(left, right);
      test(right, left);
    },
    SwitchStatement: ({ discriminant, cases }) => test(discriminant, ...cases.map((one) => one.test)),
  }).visit(parseSync("source.ts", text).program);
  return tests;
}

type Span = { start: number; end: number };

/** What a search finds in files that know tools by their facts only. */
const outside = (search: (text: string) => string[], mayAsk: readonly RegExp[] = []): string[] =>
  sources
    .filter(({ path }) => ![IS_MODEL, IS_WORKFLOW, ...mayAsk].some((one) => one.test(path)))
    .filter(({ path, text }) => path !== "schema/own-tool.ts" && NAME.test(text))
    .flatMap(({ path, text }) => search(text).map((line) => `${path}: ${line}`))
    .filter((line) => !OTHER_MEANING.some((one) => one.test(line)));

describe("facts of tools", () => {
  it("no list of tool names outside of the table", () => {
    expect(outside(listsIn)).toEqual([]);
    expect(listsIn('const A = new Set(["view", "grep"]);')).toEqual(['"view", "grep"']);
  });

  it("no object that tells tools apart by its keys", () => {
    expect(outside(keysIn)).toEqual([]);
    expect(keysIn('const A = { bash: ["command"], "web_fetch": ["url"], other: [] };')).toEqual([
      "{ bash, web_fetch }",
    ]);
    expect(keysIn("const A = { store_memory: 1 };")).toEqual(["{ store_memory }"]);
  });

  it("no question whether a tool is this one, outside of its own code", () => {
    expect(outside(testsIn, MAY_ASK)).toEqual([]);
    expect(testsIn('if (block.tool === "edit" || "Bash" !== call?.name) a();')).toEqual([
      "block.tool is edit",
      "call?.name is Bash",
    ]);
    expect(testsIn('switch (data.toolName) { case "view": case "other": }')).toEqual(["data.toolName is view"]);
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
