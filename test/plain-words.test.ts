// N50: what people read uses plain words: help, typical results and errors, and the documents.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newPlace, run } from "./tool/everlong.ts";

const root = join(import.meta.dirname, "..");

const STIFF: readonly RegExp[] = [
  /\bit (?:holds|stands|counts)\b/i,
  /\bhow it stands\b/i,
  /\bthere (?:is|are) no\b/i,
  /\bnone of it\b/i,
  /\b(?:is|was) asked for\b/i,
  /\bof this repository and yours\b/i,
  /\bmade anew\b/i,
  /\ball the same\b/i,
  /\bis told as\b/i,
  /\b(?:is|are|was|were) waited for\b/i,
  /\b(?:it|work|turn|session|run) (?:goes|went) on\b/i,
  /\bneeds your leave\b/i,
  /\bputs? back\b/i,
  /" is no \w+/i,
  /\b1 (?:sessions|prompts|messages|memories|events|files|items|models|settings)\b/,
];
/** In what a command prints, a code for models at the start of a line is a mistake too. */
const CODE = /^[a-z]+(?:_[a-z]+)+: /m;

const stiffIn = (text: string): string[] => STIFF.flatMap((words) => words.exec(text)?.[0] ?? []);
/** A sentence with a hole, such as "Did you mean  or ?". */
const HOLE = /\bmean {2}| or \?/;

const wrongIn = (text: string): string[] => [...stiffIn(text), ...(CODE.exec(text) ?? []), ...(HOLE.exec(text) ?? [])];

/** Text in a block of code is a sample, not a sentence; the two pages made from tables are read like the others. */
const prose = (path: string): string => readFileSync(join(root, path), "utf8").replace(/^```[\s\S]*?^```$/gm, "");

const documents = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

const RESULTS: readonly string[][] = [
  ["--help"],
  ["-p", "/help"],
  ["sessions"],
  ["memory", "list"],
  ["memory", "--help"],
  ["recall", "zebra"],
  ["board"],
  ["trust", "--list"],
  ["consent", "list"],
  ["proxy", "sessions"],
  ["-p", "/memory"],
  ["-p", "/tasks"],
  ["-p", "/usage"],
  ["doctor"],
];

const ERRORS: readonly string[][] = [
  ["--resume", "zzz", "-p", "hello"],
  ["sessions", "show", "nosuch"],
  ["memory", "show", "nosuch"],
  ["memory", "add"],
  ["memory", "add", "x".repeat(900)],
  ["memory", "vote", "nosuch", "sideways", "--reason", "why"],
  ["board", "show", "nosuch"],
  ["settings", "set", "nosuch", "1"],
  ["proxy", "show", "nosuch"],
  ["proxy", "why"],
  ["with", "nosuch"],
  ["checkpoints", "nosuch"],
  ["--model", "nosuch", "-p", "hello"],
  ["-p", "/nosuch"],
  ["wipe"],
];

describe("plain words", () => {
  it("N50 help and results", async () => {
    const place = newPlace();
    await run(place, ["-p", "hello"]);
    for (const args of RESULTS) {
      const { stdout, stderr } = await run(place, args);
      expect(stdout, args.join(" ")).not.toBe("");
      expect([...wrongIn(stdout), ...wrongIn(stderr)], `${args.join(" ")}\n${stdout}${stderr}`).toEqual([]);
    }
  });

  it("N50 errors", async () => {
    const place = newPlace();
    await run(place, ["-p", "/usage"]); // a session without a name
    for (const args of ERRORS) {
      const { code, stderr } = await run(place, args);
      expect([1, 2], args.join(" ")).toContain(code);
      expect(stderr, args.join(" ")).not.toBe("");
      expect(wrongIn(stderr), `${args.join(" ")}\n${stderr}`).toEqual([]);
    }
  });

  it.each(documents)("N50 %s is written in plain words", (path) => {
    expect(stiffIn(prose(path))).toEqual([]);
  });

  it("N50 the check finds a stiff sentence and a code where they are planted", () => {
    expect(wrongIn("Best matches first; none of it holds: gateway")).toEqual(["it holds", "none of it"]);
    expect(wrongIn("x = 1 in settings.json; it counts after restart.")).toEqual(["it counts"]);
    expect(wrongIn("a5c1  2026-11-17  1 prompts  hello")).toEqual(["1 prompts"]);
    expect(wrongIn("Not stored.\ninvalid_inputs: name is empty")).toEqual(["invalid_inputs: "]);
    expect(wrongIn("Nothing is waited for: no agent and no command.")).toEqual(["is waited for"]);
    expect(wrongIn("No matches in this session.")).toEqual([]);
  });
});
