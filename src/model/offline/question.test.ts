// What the offline model takes from a prompt.
import { describe, expect, it } from "vitest";
import { actionsIn, asksForChange } from "./action.ts";
import { readQuestion } from "./question.ts";
import { isQuestion, statements } from "./statements.ts";

const terms = (prompt: string) => readQuestion(prompt).terms.map((term) => `${term.kind}:${term.text}`);
const paths = (prompt: string) =>
  readQuestion(prompt).paths.map(({ path, line }) => (line === undefined ? path : `${path}@${line}`));
const words = (prompt: string) => readQuestion(prompt).words;

describe("readQuestion", () => {
  it("A3.3 takes names in every spelling, quoted text and numbers", () => {
    expect(terms("Where is parseConfig defined, and MAX_STEPS?")).toEqual(["name:parseConfig", "name:MAX_STEPS"]);
    expect(terms("does `tool.exclude` or clip() matter?")).toEqual(["name:tool.exclude", "name:clip"]);
    expect(terms('who prints "no such file" and --dry-run?')).toEqual(["quoted:no such file", "quoted:--dry-run"]);
    expect(terms("where is 4747 used in v1.2.3?")).toEqual(["number:4747", "number:v1.2.3"]);
  });

  it("A3.3 takes a plain word for a name when the sentence calls it one", () => {
    expect(terms("where is retry defined?")).toEqual(["name:retry"]);
    expect(terms("what does clip do?")).toEqual(["name:clip"]);
    expect(terms("explain the Parser class")).toEqual(["name:Parser"]);
    expect(terms("which function is the slowest?")).toEqual([]);
  });

  it("A3.3 takes paths and file names, not mere slashes and brands", () => {
    expect(paths("what is in src/model/call.ts:12 and ./lib/?")).toEqual(["src/model/call.ts@12", "./lib/"]);
    expect(paths("what does the README say about Node.js, input/output and TypeScript?")).toEqual(["README"]);
    expect(terms("does GitHub or TypeScript matter?")).toEqual([]);
  });

  it("A3.3 takes rare words and leaves the stop list and the frame of the question out", () => {
    expect(words("What port does the server use?")).toEqual(["port", "server"]);
    expect(words("please tell me where this is defined")).toEqual([]);
    expect(words("which tests cover the parser?")).toEqual(["parser"]);
    expect(words("サーバーのポート番号は何ですか")).toContain("ポート");
  });

  it("A3.3 stays bounded on a pasted log", () => {
    const question = readQuestion(`why? ${"someName_7 src/a.ts word ".repeat(5_000)}`);
    expect(question.text.length).toBeLessThanOrEqual(6_000);
    expect(question.terms.length + question.paths.length + question.words.length).toBeLessThanOrEqual(18);
  });
});

describe("actionsIn", () => {
  it("A3.8 a command counts only alone on its line, a fact only when it is no question", () => {
    expect(actionsIn("run `npm test`")).toEqual({ actions: [{ type: "run", command: "npm test" }], rest: "" });
    expect(actionsIn("run npm test").actions).toEqual([{ type: "run", command: "npm test" }]);
    expect(actionsIn("run ls src | head -3").actions).toEqual([{ type: "run", command: "ls src | head -3" }]);
    for (const sentence of [
      "how do I run `npm test` here?",
      "run the tests",
      "run npm test?",
      "Run make believe games.",
    ])
      expect(actionsIn(sentence).actions).toEqual([]);
    expect(actionsIn("Remember that we use pnpm.\nwhat is new?")).toEqual({
      actions: [{ type: "remember", fact: "we use pnpm." }],
      rest: "what is new?",
    });
    expect(actionsIn("remember that thing?").actions).toEqual([]);
    expect(actionsIn("do you remember that we met").actions).toEqual([]);
  });

  it("A3.5 knows orders to change code from questions about it", () => {
    for (const order of [
      "Add a flag",
      "please fix the parser",
      "could you refactor x.ts?",
      "Look at it. Then rename foo.",
    ]) {
      expect(asksForChange(order), order).toBe(true);
    }
    for (const question of ["how do I add a flag?", "what does the update function do", "which change broke it"]) {
      expect(asksForChange(question), question).toBe(false);
    }
  });
});

describe("statements", () => {
  it("A3.4 a question, with or without its mark, is no statement", () => {
    expect(statements("We use pnpm. What is the port? where is it set\nDo not use tabs")).toEqual([
      "We use pnpm.",
      "Do not use tabs",
    ]);
    expect(isQuestion("> is the port open")).toBe(true);
    expect(isQuestion("The port is open.")).toBe(false);
  });
});
