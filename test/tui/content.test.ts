// What stands in the transcript of a real terminal: cards, diffs, Markdown, hostile text, and the same again on resume.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, onlySession, scene } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { FORBIDDEN, openScreen } from "./screen.ts";

const ANSWER = [
  "## Result",
  "The port is set in **src/main.js**; see [the manual](https://example.org/port).",
  "",
  "```js",
  "const port = 8080; // default",
  "```",
  "",
  "| name | value |",
  "|------|------:|",
  "| port | 8080 |",
  "",
  "- first point",
  "- second point with a rather long line that has to wrap somewhere near the right edge of it",
].join("\n");
const HOSTILE = "title \u001b]0;owned\u0007 screen \u001b[2J\u001b[?1049h turned \u202eback\u202c nul \u0000 end";
const env = { EVERLONG_ALLOW_ALL: "true", COLORTERM: "truecolor" };

const job = async () => {
  const made = await scene(
    [
      calls([bash("seq 1 30; echo broken >&2; exit 2")]),
      calls([{ name: "view", args: { path: "main.js" } }]),
      calls([{ name: "edit", args: { path: "main.js", old_str: "port = 80;", new_str: "port = 8080;" } }]),
      text(ANSWER),
    ],
    { env },
  );
  writeFileSync(join(made.place.folder, "main.js"), "// first\nconst port = 80;\nlisten(port);\n");
  return made;
};

/** The rows from the first message to the editor, without what stands below it. */
const transcriptOf = (rows: readonly string[]): string[] => {
  const first = rows.findIndex((row) => /^❯ you /.test(row));
  const end = rows.findIndex((row, at) => at > first && /second point/.test(row));
  return rows.slice(first, end + 2);
};

describe("the content of the screen", () => {
  it("F3 F8 F16 F24 cards with exit in words, a diff, Markdown without marks; a resume shows the same", async () => {
    const { place } = await job();
    const screen = openScreen(place, { columns: 80, rows: 60 });
    await screen.see("? keys");
    screen.type("where is the port set?\r");
    await screen.see("right edge of it");
    const rows = transcriptOf(screen.rows());
    const all = rows.join("\n");
    expect(all).toMatch(/^✗ bash {2}seq 1 30; echo broken >&2; exit 2 {2}\d+/m);
    expect(all).toMatch(/^ {2}\+23 lines \(ctrl\+o\)\n {2}24\n/m);
    expect(all).toMatch(/^ {2}broken\n {2}Command exited with code 2$/m);
    expect(all).toMatch(/^✓ edit {2}main\.js {2}\+1 -1 · /m);
    expect(all).toMatch(/^ {2}2 - const port = 80;\n {2}2 \+ const port = 8080;$/m);
    expect(all).toContain(
      "\n● everlong\n  Result\n  The port is set in src/main.js; see the manual (https://example.org/port).\n\n    const port = 8080; // default\n\n",
    );
    expect(all).toContain("  ┌──────┬───────┐\n  │ name │ value │\n");
    expect(all).toContain(
      "  • second point with a rather long line that has to wrap somewhere near the\n    right edge of it",
    );
    screen.press("ctrl+d");
    expect(await screen.exit).toBe(0);
    const again = openScreen(place, { columns: 80, rows: 60, args: ["--resume", onlySession(place)] });
    await again.see("right edge of it");
    const digits = (lines: readonly string[]) => lines.map((line) => line.replace(/\d+(?:\.\d+)?m?s$/, "0s"));
    expect(digits(transcriptOf(again.rows()))).toEqual(digits(rows));
  });

  it("F8 F71 Ctrl+O shows what the cards fold, finds words in it, and gives the editor back", async () => {
    const { place } = await job();
    const screen = openScreen(place);
    await screen.see("? keys");
    screen.type("where is the port set?\r");
    await screen.see("right edge of it");
    screen.type("draft");
    screen.press("ctrl+o");
    await screen.see(/end of \d+ entries/);
    screen.type("/seq 1 30\r");
    await screen.see(/^✗ bash {2}seq 1 30/m);
    await screen.see(/^ {2}1\n {2}2\n {2}3$/m);
    screen.press("escape");
    await screen.see(/^❯ draft/m);
    expect(screen.raw()).not.toMatch(FORBIDDEN);
  });

  it("F15 FB2 what a model writes moves no cursor, sets no title and hides nothing", async () => {
    const { place } = await scene([text(HOSTILE)], { env });
    const screen = openScreen(place);
    await screen.see("? keys");
    screen.type("go\r");
    await screen.see("\\x00 end");
    expect(screen.text()).toMatch(
      /title \\x1b\]0;owned\\x07 screen \\x1b\[2J\\x1b\[\?1049h turned U\+202Eback\s*U\+202C/,
    );
    expect(screen.raw()).not.toContain("\u001b]0;owned");
    expect(screen.raw()).not.toContain("\u202e");
    expect(screen.raw()).not.toMatch(FORBIDDEN);
  });
});
