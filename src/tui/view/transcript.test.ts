// The transcript panel: scrolling, search, and a cost that does not grow with what is not on the screen.
import { describe, expect, it } from "vitest";
import { stripAnsi } from "../../base/text.ts";
import type { TranscriptBlock } from "../../runtime/client/transcript.ts";
import { lookOf } from "../theme/look.ts";
import { type TranscriptPanel, transcriptPanel, transcriptView } from "./transcript.ts";

const begun = { at: "2026-01-01T00:00:00.000Z" };
const users = (count: number): TranscriptBlock[] =>
  Array.from({ length: count }, (_, at) => ({
    ...begun,
    id: `u${at}`,
    kind: "user",
    text: `message ${at}`,
    source: "user",
    attachments: [],
  }));

const look = lookOf();
const draw = (state: TranscriptPanel, rows = 6): string[] =>
  transcriptView.render(state, 60, look, rows).map(stripAnsi);
function press(state: TranscriptPanel, ...keys: string[]): TranscriptPanel {
  draw(state);
  return keys.reduce((now, id) => {
    const action = transcriptView.handle({ id, ...(id.length === 1 ? { text: id } : {}) }, now);
    if (action?.type !== "show") return now;
    draw(action.state);
    return action.state;
  }, state);
}

describe("the transcript panel", () => {
  it("F8 F71 it opens at the end, scrolls to the beginning, and shows of 10,000 blocks only those on the screen", () => {
    const blocks = users(10_000);
    let looked = 0;
    const watched = new Proxy(blocks, {
      get(target, key, self) {
        if (typeof key === "string" && /^\d+$/.test(key)) looked++;
        return Reflect.get(target, key, self);
      },
    });
    const state = transcriptPanel(watched);
    expect(draw(state).slice(-2)).toEqual(["❯ you  message 9999", "end of 10,000 entries · / searches · esc closes"]);
    expect(looked).toBeLessThan(100);
    expect(draw(press(state, "home"))[0]).toBe("❯ you  message 0");
    const up = press(state, "up", "up");
    expect(draw(up).at(-2)).toBe("❯ you  message 9998");
    expect(draw(press(up, "down", "down", "down", "down")).at(-2)).toBe("❯ you  message 9999");
    expect(draw(press(state, "home", "up", "pageUp"))[0]).toBe("❯ you  message 0");
    expect(draw(press(state, "home", "pageDown", "pageUp"))[0]).toBe("❯ you  message 0");
  });

  it("F8 what the screen folds is whole here", () => {
    const output = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");
    const tool: TranscriptBlock = {
      ...begun,
      id: "c",
      kind: "tool",
      toolCallId: "c",
      tool: "bash",
      args: { command: "seq" },
      state: "success",
      output,
      lines: 50,
      durationMs: 1,
      files: [],
    };
    const lines = transcriptView.render(transcriptPanel([tool]), 60, look, 60).map(stripAnsi);
    expect(lines.filter((line) => /^ {2}line \d+$/.test(line))).toHaveLength(50);
  });

  it("F8 search goes upwards, n goes on, and says when nothing more is there", () => {
    const state = press(transcriptPanel(users(200)), "/", "e", " ", "1", "7", "enter");
    expect(draw(state)[0]).toBe("❯ you  message 179");
    expect(transcriptView.render(state, 60, look, 6)[0]).toContain("\u001b[7m");
    const end = press(state, ...Array(20).fill("n"));
    expect(draw(end).at(-1)).toContain('no older entry has "e 17"');
    expect(draw(press(end, "N")).join("\n")).toContain("message 170");
  });

  it("FB1 a line of ten megabytes scrolls", () => {
    const output = "x".repeat(10_000_000);
    const tool: TranscriptBlock = {
      ...begun,
      id: "c",
      kind: "tool",
      toolCallId: "c",
      tool: "bash",
      args: {},
      state: "success",
      output,
      lines: 1,
      durationMs: 1,
      files: [],
    };
    const state = press(transcriptPanel([tool]), "pageUp", "home", "pageDown", "end");
    expect(draw(state).every((line) => line.length <= 60)).toBe(true);
    expect(draw(state).at(-2)).toMatch(/^ {2}x+$/);
  });
});
