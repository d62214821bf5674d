// Storms of random sizes in a real tmux while an answer streams: every paragraph once and in order, one editor, one status line.
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { randomFrom } from "../tool/random.ts";
import { soakCount } from "../tool/soak.ts";
import { hasTmux, openTmux } from "./tmux.ts";

const COUNT = 400;
const WORDS =
  "some words of a paragraph that is long enough to be broken in most windows and then some more of them".split(" ");

/** Paragraphs of many lengths and a few lines of code, each with its number at both ends. */
const answer = Array.from({ length: COUNT }, (_, at) => {
  if (at % 5 === 4) return ["```js", `const n${at}n = 1;`, `call(); // z${at}z`, "```"].join("\n");
  const words = [...WORDS.slice(0, (at * 7) % WORDS.length), ...WORDS.slice(0, (at * 3) % WORDS.length)];
  return `n${at}n ${words.join(" ")} z${at}z`;
}).join("\n\n");
const numbers = Array.from({ length: COUNT }, (_, at) => at);

// Each of the first five lost a line or doubled one before the live region was drawn small while sizes change.
const seeds = [2, 4, 5, 7, 12, ...Array.from({ length: soakCount(0, 40) }, (_, at) => 100 + at)];

describe.skipIf(!hasTmux)("storms in tmux", () => {
  it.each(seeds)(
    "F12 FB5 FE2 sixty sizes while an answer streams, seed %i: every line once and in order",
    async (seed) => {
      const random = randomFrom(seed);
      const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
      const { place } = await scene([text(answer, { chunk: 60, chunkDelayMs: 10 })]);
      const pane = openTmux(place);
      await pane.see("· session ");
      pane.send("write it", "Enter");
      await pane.see("n0n");
      for (let turn = 0; turn < 60; turn++) {
        pane.resize(between(50, 120), between(16, 40));
        await wait(random() < 0.3 ? between(100, 400) : between(1, 60));
      }
      await pane.see(`z${COUNT - 1}z`);
      pane.resize(80, 24);
      await pane.settled(80);
      await pane.see("? keys");
      const letters = pane.all().replaceAll(/[^a-z0-9]/g, "");
      const marks = (mark: RegExp) => [...letters.matchAll(mark)].map((match) => Number(match[1]));
      expect(marks(/n(\d+)n/g)).toEqual(numbers);
      expect(marks(/z(\d+)z/g)).toEqual(numbers);
      expect(pane.linesWith("interactive ·")).toHaveLength(1);
      expect(pane.linesWith("❯")).toHaveLength(2);
    },
  );
});
