// A long answer in a small window, resized again and again: every line once, in order, and nothing of ours in between.
import { expect, it } from "vitest";
import { scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { FORBIDDEN, openScreen } from "./screen.ts";

const COLUMNS = [80, 100, 60, 40, 120, 40, 70, 80, 110, 64];
const ROWS = [24, 30, 20, 10, 40, 10, 35, 15, 24, 30];

/** Lines of prose, of code and of tables, each with its number. */
function longAnswer(count: number): string {
  const parts: string[] = [];
  for (let line = 0; line < count; ) {
    const kind = Math.floor(line / 50) % 3;
    const end = Math.min(count, line + 50);
    if (kind === 1) parts.push("```js");
    if (kind === 2) parts.push("| name | value |", "|---|---|");
    for (; line < end; line++)
      parts.push(kind === 2 ? `| row | n${line}n |` : kind === 1 ? `const n${line}n = 1;` : `- item n${line}n`);
    if (kind === 1) parts.push("```");
    parts.push("");
  }
  return parts.join("\n");
}

const numbersIn = (lines: readonly string[]): number[] => {
  // The terminal itself may scroll half a line away before the rest of it has come: then the rest stands below.
  const letters = lines.join("").replaceAll(/[^a-z0-9]/g, "");
  return [...letters.matchAll(/n(\d+)n/g)].map((match) => Number(match[1]));
};
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

it("FE2 F12 resizes while frames are on their way: each line once and in order, one editor, one status line", async () => {
  const count = 600;
  const { place } = await scene([text(longAnswer(count), { chunk: 60, chunkDelayMs: 12 })]);
  const screen = openScreen(place);
  await screen.see("· session ");
  screen.type("write\r");
  await screen.see(/n\d+n/);
  for (let turn = 0; turn < 40; turn++) {
    screen.resizeNow(60 + ((turn * 37) % 60), 22 + ((turn * 7) % 18));
    await new Promise((resolve) => setTimeout(resolve, turn % 4 === 0 ? 120 : 25));
  }
  await screen.reach(`n${count - 1}n`);
  await screen.see("? keys");
  await screen.quiet();
  const lines = screen.all();
  expect(numbersIn(lines)).toEqual(upTo(count));
  expect(lines.filter((line) => line.startsWith("interactive ·"))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith("❯")).length).toBeLessThanOrEqual(2);
});

it("FE2 F7 F8 F9 F10 F12 3,000 lines at 80x24 with 20 resizes: each line once and in order, no copy of the editor, then silence", async () => {
  const count = 3000;
  const { place } = await scene([text(longAnswer(count), { chunk: 200, chunkDelayMs: 12 })]);
  const screen = openScreen(place);
  await screen.see("· session ");
  screen.type("write\r");
  await screen.see(/n\d+n/);
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    await screen.resize(COLUMNS[(turn + 1) % 10]!, ROWS[(turn + 1) % 10]!);
  }
  await screen.resize(80, 24);
  await screen.reach(`n${count - 1}n`);
  await screen.see("? keys");
  await screen.quiet();
  const lines = screen.all();
  expect(numbersIn(lines)).toEqual(upTo(count));
  expect(lines.filter((line) => line.startsWith("interactive ·"))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith("❯ ")).length).toBeLessThanOrEqual(2);
  expect(screen.raw()).not.toMatch(FORBIDDEN);
  const bytes = await screen.quiet();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(screen.raw().length).toBe(bytes);
});
