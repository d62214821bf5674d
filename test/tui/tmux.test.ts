// Inside real tmux: typing, an answer, storms of resizes, two windows of different sizes on it, and what tmux keeps in its history.
import { describe, expect, it } from "vitest";
import { scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { hasTmux, openTmux } from "./tmux.ts";

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const items = (count: number) =>
  upTo(count)
    .map((at) => `- item n${at}n`)
    .join("\n");

describe.skipIf(!hasTmux)("in tmux", () => {
  it("F72 F12 F69 every line once after a resize, no copy of the status line, a clean end", async () => {
    const { place } = await scene([text(items(60))]);
    const pane = openTmux(place);
    await pane.see("· session ");
    pane.send("-l", "write it");
    await pane.see("❯ write it");
    pane.send("Enter");
    await pane.see("n59n");
    await pane.see("? keys");
    for (const [columns, height] of [
      [60, 20],
      [100, 30],
      [80, 24],
      [40, 10],
      [80, 24],
    ] as const) {
      pane.resize(columns, height);
      await pane.settled(columns);
      expect(pane.numbers()).toEqual(upTo(60));
      expect(pane.linesWith("interactive ·")).toHaveLength(1);
    }
    pane.send("C-d");
    await pane.see("left-with-0");
    await pane.see("Resume with: everlong --resume");
  });

  it("F12 FB5 storms of sizes while an answer is open: every line once, one editor, one status line", async () => {
    const { promise: hold, resolve: goOn } = Promise.withResolvers<void>();
    const answer = `${items(100)}\n\nAt the end ${upTo(40)
      .map((at) => `n${100 + at}n`)
      .join(" ")} and so`;
    // Without motion nothing is drawn between two storms: at 40x10 tmux itself scrolls away what such a frame would leave.
    const { place } = await scene([text(answer, { hold })], { env: { EVERLONG_MOTION: "off" } });
    const pane = openTmux(place);
    await pane.see("· session ");
    pane.send("write it", "Enter");
    await pane.see("and so");
    for (const sizes of [
      [
        [60, 20],
        [50, 18],
        [44, 12],
        [90, 30],
      ],
      [
        [70, 15],
        [71, 16],
        [72, 17],
        [73, 18],
        [100, 30],
      ],
      [
        [120, 40],
        [60, 16],
        [80, 24],
      ],
      [
        [40, 10],
        [120, 40],
        [80, 24],
      ],
    ] as const) {
      for (const [columns, height] of sizes) pane.resize(columns, height);
      await pane.settled(sizes.at(-1)?.[0] ?? 0);
    }
    goOn();
    // A frame for one of the sizes before may still be on its way: this hint is cut off in a narrow one.
    await pane.see("! shell · shift+tab mode");
    await pane.settled(80);
    expect(pane.numbers()).toEqual(upTo(140));
    expect(pane.linesWith("interactive ·")).toHaveLength(1);
    expect(pane.linesWith("❯ ")).toHaveLength(2);
  });

  it("F12 two windows of different sizes on one session: whoever types sees it drawn for that size", async () => {
    const { place } = await scene([text(items(50))]);
    const pane = openTmux(place);
    const large = pane.attach(100, 30);
    await pane.settled(100);
    large.write("write it\r");
    await pane.see("n49n");
    const small = pane.attach(50, 14);
    await pane.settled(50);
    for (const [client, columns, typed] of [
      [large, 100, "x"],
      [small, 50, "xx"],
      [large, 100, "xxx"],
    ] as const) {
      client.write("x");
      // The new size and the letter reach the program one after the other, in either order: each may be a frame of its own.
      await pane.see(`❯ ${typed}`);
      await pane.settled(columns);
      await expect.poll(pane.numbers).toEqual(upTo(50));
    }
    await expect.poll(() => pane.linesWith("interactive ·")).toHaveLength(1);
  });
});
