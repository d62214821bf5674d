// Storms of random sizes in a real tmux while an answer streams: every line once and in order, and nothing of ours in between.
import { writeFileSync, mkdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { seededRandom } from "../tool/random.ts";
import { hasTmux, openTmux } from "./tmux.ts";

const words = "some words of a paragraph that is long enough to be broken in most windows and then some more of them".split(" ");
function paragraphs(count: number): string {
  return Array.from({ length: count }, (_, at) => at % 5 === 4
    ? ["```js", `const n${at}n = 1;`, `call(); // z${at}z`, "```"].join("\n")
    : `n${at}n ${words.slice(0, (at * 7) % words.length).join(" ")} ${words.slice(0, (at * 3) % words.length).join(" ")} z${at}z`).join("\n\n");
}
const seeds = (process.env["SEEDS"] ?? "1,2,3").split(",").map(Number);
const count = 400;

describe.skipIf(!hasTmux)("storms in tmux", () => {
  it.each(seeds)("seed %i", async (seed) => {
    process.env["EVERLONG_TEST_SEED"] = String(seed);
    const { random } = seededRandom("storm");
    const { place } = await scene([text(paragraphs(count), { chunk: 60, chunkDelayMs: 10 })], { env: { ...(process.env["TRACE"] ? { EVERLONG_TRACE_TERM: `${process.env["TRACE"]}/${seed}.trace` } : {}) } });
    const pane = openTmux(place);
    const int = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
    await pane.see("· session ");
    pane.send("write it", "Enter");
    await pane.see("n0n");
    for (let turn = 0; turn < 60; turn++) {
      pane.resize(int(50, 120), int(16, 40));
      await wait(random() < 0.3 ? int(100, 400) : int(1, 60));
    }
    await pane.see(`z${count - 1}z`);
    await pane.see("? keys");
    await wait(1000);
    const letters = pane.all().replaceAll(/[^a-z0-9]/g, "");
    const marks = (mark: string) => [...letters.matchAll(new RegExp(`${mark}(\\d+)${mark}`, "g"))].map((m) => Number(m[1]));
    if (process.env["TRACE"]) { mkdirSync(process.env["TRACE"], { recursive: true }); writeFileSync(`${process.env["TRACE"]}/${seed}.txt`, pane.all()); }
    const diff = (list: number[]) => ({
      missing: Array.from({ length: count }, (_, at) => at).filter((at) => !list.includes(at)),
      double: list.filter((at, i) => list.indexOf(at) !== i),
    });
    expect({ n: diff(marks("n")), e: diff(marks("z")), status: pane.linesWith("interactive ·").length }).toEqual({ n: { missing: [], double: [] }, e: { missing: [], double: [] }, status: 1 });
  });
});
