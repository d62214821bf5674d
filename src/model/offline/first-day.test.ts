// The first things that people say to the offline model: greetings, help, what the project is, text on stdin.
import { describe, expect, it } from "vitest";
import { ask, type Files, quotesOf, REPO } from "./offline-fixture.ts";
import { smallTalk } from "./small-talk.ts";
import { OFFLINE_LINE } from "./wording.ts";

const sources = (text: string) => quotesOf(text).map(({ source }) => source);
const piped = (text: string, prompt: string) => `${prompt}\n\n<stdin>\n${text}\n</stdin>`;

describe("talk", () => {
  it.each([
    "hello",
    "Hello, what can you do?",
    "hi there! who are you?",
    "Hi!",
    "hey there",
    "Good morning.",
    "help",
    "?",
    "What can you do?",
    "who are you?",
    "how do I use this?",
  ])("N44 %s is answered without a search, with what to ask", async (prompt) => {
    const { text, calls } = await ask(prompt, { files: REPO });
    expect(calls).toEqual([]);
    expect(text).toMatch(/offline model/);
    expect(text).not.toMatch(/don't know what to look for/);
    expect(text.endsWith(OFFLINE_LINE)).toBe(true);
  });

  it.each(["what is 1+1", "12 * (3 - 4)", "how much is 7 times 6?"])(
    "N44 %s: it does not calculate, nor search",
    async (prompt) => {
      const { text, calls } = await ask(prompt, { files: REPO });
      expect(calls).toEqual([]);
      expect(text).toMatch(/^I cannot calculate/);
    },
  );

  it.each([
    "help parseConfig",
    "hello.ts",
    "what can you do about the parser?",
    "where is help?",
    "8080",
    "no such file",
    "ok where is it",
  ])("N44 %s is no talk", (prompt) => {
    expect(smallTalk(prompt)).toBeUndefined();
  });

  it("N44 a message without a subject says what to name", async () => {
    expect((await ask("why?", { files: REPO })).text).toMatch(/^I don't know what to look for\. Name a file/);
  });
});

describe("the project as a whole", () => {
  const files: Files = {
    ...REPO,
    "package.json":
      '{\n  "name": "demo",\n  "version": "3.1.4",\n  "description": "A tiny server",\n  "scripts": {\n    "test": "vitest"\n  },\n  "dependencies": {\n    "zod": "4.0.0"\n  },\n  "devDependencies": {\n    "vitest": "5.0.0"\n  }\n}\n',
    "node_modules/zod/package.json": '{\n  "version": "4.0.0"\n}\n',
    "test/fixtures/package.json": '{\n  "version": "0.0.0"\n}\n',
  };

  it("N44 what it is comes from README, manifest and tree", async () => {
    const { text } = await ask("what is this repository?", { files });
    expect(sources(text)).toEqual(["README.md:1", "package.json:4"]);
    expect(text).toContain("A tiny server for demos.");
    expect(text).toMatch(/^In this folder: docs\/, src\/, test\//m);
  });

  const README =
    "# Demo\n\nA tiny server.\n\n## Install\n\n```sh\n# once\nnpm ci\n```\n\n## Usage\n\nnpm start\n\n## Development\n\nnpm test\n";

  it.each([
    ["how do I run it?", ["README.md:12", "package.json:5"], "npm start"],
    ["How to install this project", ["README.md:5", "package.json:5"], "npm ci"],
    ["how can I run the tests?", ["README.md:16", "package.json:5"], "npm test"],
    ["how do we build this?", ["README.md:16", "package.json:5"], '"test": "vitest"'],
  ])("N44 %s is answered from the README's section and the scripts", async (prompt, expected, quote) => {
    const { text } = await ask(prompt, { files: { ...files, "README.md": README } });
    expect(sources(text)).toEqual(expected);
    expect(text).toContain(quote);
  });

  it("N44 how a part of the project is started is looked for in the code", async () => {
    const { calls } = await ask("how do I start the parser?", { files: { ...files, "README.md": README } });
    expect(calls.map(({ name }) => name)).toContain("grep");
  });

  it.each([
    ["which version is this?", "package.json:3", '"version": "3.1.4"'],
    ["what scripts are there?", "package.json:5", '"test": "vitest"'],
    ["what are the dependencies?", "package.json:8", '"zod": "4.0.0"'],
    ["list the dev dependencies", "package.json:11", '"vitest": "5.0.0"'],
    ["which version of zod do we use?", "package.json:9", '"zod": "4.0.0"'],
  ])("N44 %s is answered from the manifest alone", async (prompt, source, quote) => {
    const { text } = await ask(prompt, { files });
    expect(sources(text)).toEqual([source]);
    expect(text).toContain(quote);
  });

  it.each([
    ["pyproject.toml", '[tool.other]\nversion = "9"\n\n[project]\nname = "x"\nversion = "1.2"\n', "version?", 6],
    [
      "Cargo.toml",
      '[package]\nversion = "1"\n\n[dependencies]\nclap = "4"\n\n[profile.release]\nlto = true\n',
      "dependencies?",
      4,
    ],
    ["go.mod", "module x\n\ngo 1.22\n\nrequire (\n\ta.b/c v1.0.0\n)\n", "which dependencies?", 5],
    ["Makefile", "VERSION := 2\n\nbuild:\n\tcc x.c\n\ntest: build\n\t./x\n", "which targets are there?", 3],
    ["requirements.txt", "flask==3.0\nhttpx>=0.27\n", "what are the dependencies?", 1],
  ])("N44 %s", async (name, content, prompt, line) => {
    const [quote, ...others] = quotesOf((await ask(prompt, { files: { [name]: content } })).text);
    expect(quote?.source).toBe(`${name}:${line}`);
    expect(content).toContain(quote?.quote);
    expect(others).toEqual([]);
  });

  it("N44 without a manifest the same question is searched for in the files", async () => {
    const { text } = await ask("which version is this?", { files: { "src/a.ts": 'export const VERSION = "7";\n' } });
    expect(sources(text)).toEqual(["src/a.ts:1"]);
  });
});

describe("stdin", () => {
  it("N44 is the first evidence, and alone when it answers", async () => {
    const log = "building\nerror: port 9090 is in use\nfinished\n";
    for (const prompt of ["which port is in use?", "what went wrong?", "explain this"]) {
      const { text, calls } = await ask(piped(log, prompt), { files: REPO });
      expect(sources(text), prompt).toEqual(["stdin:2"]);
      expect(calls, prompt).toEqual([]);
    }
    const named = await ask(piped("parseConfig threw", "where is parseConfig defined?"), { files: REPO });
    expect(sources(named.text).slice(0, 2)).toEqual(["stdin:1", "src/config.ts:5"]);
  });

  it("N44 a long text is searched in the file that holds all of it", async () => {
    const file = "/home/u/.everlong/sessions/s1/files/stdin-1.txt";
    const shown = `one\ntwo\n[preview of 99999 bytes; all of it is in ${file}]`;
    const grep = ({ path }: Record<string, unknown>) => ({
      content: path === file ? `${file}:812:TypeError: x is not a function` : "No matches.",
    });
    const { text } = await ask(piped(shown, "what failed?"), { tools: { grep } });
    expect(sources(text)).toEqual(["stdin:812"]);
    expect(text).not.toContain("preview of");
  });

  it("N44 asked for a review, it says that it cannot judge", async () => {
    const { text } = await ask(piped("diff --git a/x b/x", "please review this"), { files: REPO });
    expect(text).toMatch(/^I cannot judge code/);
  });
});

describe("what comes last", () => {
  it("N44 tests, fixtures, generated files and old output of tools", async () => {
    const line = "export const retry_limit = 3;\n";
    const files = {
      "a/fixtures/x.ts": line,
      "dist/x.js": line,
      "a.test.ts": line,
      "zz/deep/down/x.ts": `use(retry_limit); // ${"far ".repeat(5)}\n`,
    };
    const recall = "[session old t1.2] tool, 2026-01-01\nretry_limit is 3 in the output.\n";
    const { text } = await ask("retry_limit", { files, recall });
    const order = sources(text);
    expect(order[0]).toBe("zz/deep/down/x.ts:1");
    expect(order).toContain("a.test.ts:1");
    const spoken = await ask("retry_limit", {
      recall: `${recall}\n[session old t1.1] turn, 2026-01-01\nI set retry_limit to 3.\n`,
    });
    expect(sources(spoken.text)[0]).toMatch(/^session old t1\.1/);
  });
});
