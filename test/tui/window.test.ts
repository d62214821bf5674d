// The window on the screen: the meter climbs, says when it will compact, and a compaction is seen, cancelled and found again.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { messagesOf, onlySession } from "../agent/scene.ts";
import { gate, prose, SUMMARY, stage } from "../context/stage.ts";
import { userHooks } from "../hook/hook-scene.ts";
import { error, stall, text } from "../model-server/reply.ts";
import { logOf, only } from "../tool/everlong.ts";
import { openScreen, type Screen } from "./screen.ts";

const meter = (screen: Screen): string => /\d+% [\d.]+k\/24k[^·\n]*/.exec(screen.text())?.[0] ?? "";

async function say(screen: Screen, words: string): Promise<void> {
  screen.paste(words);
  await screen.see("Pasted text");
  screen.press("enter");
  await screen.lose("❯ [Pasted text");
}

describe("the window on the screen", () => {
  it("FE5 F27 F17 FI5 the meter climbs, names the threshold, compacts in the background; the block has the event's numbers", async () => {
    const summary = gate();
    const { place } = await stage((_request, index) => text(`answer-${index}`), {
      summary: async () => {
        await summary.opened;
        return text(SUMMARY);
      },
    });
    const screen = openScreen(place, { columns: 110, rows: 30 });
    await screen.see("? keys");
    const shown: string[] = [];
    let index = 0;
    for (; !meter(screen).includes("compacting") && index < 12; index++) {
      await say(screen, prose(2_400, `part-${index}`));
      await screen.reach(`answer-${index}`);
      await screen.see("? keys");
      shown.push(meter(screen));
    }
    const shares = shown.map((one) => Number.parseInt(one, 10));
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shown.some((one) => one.endsWith("compacts at 80% "))).toBe(true);
    expect(meter(screen)).toContain("compacting");
    summary.open();
    await say(screen, prose(300, "and then"));
    await screen.reach("Conversation Compacted");
    await screen.reach(`answer-${index}`);
    const [complete] = only(logOf(place, onlySession(place)), "session.compaction_complete");
    const { data } = complete!;
    const all = screen.all().join("\n");
    expect(all).toContain(`${data.preCompactionMessagesLength} → ${data.postCompactionMessagesLength} messages`);
    expect(all).toContain('checkpoint 1 "parser work"');
    await screen.see("? keys");
    expect(Number.parseInt(meter(screen), 10)).toBeLessThan(shares.at(-1)!);
    screen.type("/session checkpoints\r");
    await screen.see(/parser work/i);
  });

  it("FE5 F29 F55 /compact shows its stage, what is summarised, what came and since when; Esc cancels it and leaves the history; a second at once is refused", async () => {
    const { place, mains, summaries } = await stage((_request, index) => text(`answer-${index}`), {
      summary: () => stall(SUMMARY),
    });
    const screen = openScreen(place, { columns: 110, rows: 30 });
    await screen.see("? keys");
    for (const [at, words] of ["first", "second", "third"].entries()) {
      await say(screen, prose(1_200, words));
      await screen.reach(`answer-${at}`);
      await screen.see("? keys");
    }
    screen.type("/compact\r");
    await screen.see(
      /Compacting conversation history: summarising [\d.]+k tokens, [1-9]\d* received \d+s · esc cancels/,
    );
    await expect.poll(() => summaries().length).toBe(1);
    screen.type("/compact\r");
    await screen.reach(/already (?:runs|running)|is running|one at a time/i);
    expect(summaries()).toHaveLength(1);
    screen.press("escape");
    await screen.reach(/history unchanged/);
    await screen.lose("Compacting conversation history");
    const messages = (): number => messagesOf(mains().at(-1)).length;
    const before = messages();
    screen.type("go on\r");
    await screen.reach("answer-3");
    expect(messages()).toBe(before + 2);
  });

  it("F55 a hook that takes its time is named as the stage; on a narrow screen too, and in plain lines", async () => {
    const { place, summaries } = await stage((_request, index) => text(`answer-${index}`));
    const open = join(place.home, "go");
    userHooks(place, { preCompact: [{ bash: `while [ ! -e '${open}' ]; do sleep 0.05; done` }] });
    const screen = openScreen(place, { columns: 80, rows: 30 });
    await screen.see("? keys");
    for (const [at, words] of ["first", "second"].entries()) {
      await say(screen, prose(1_200, words));
      await screen.reach(`answer-${at}`);
      await screen.see("? keys");
    }
    screen.type("/compact\r");
    await screen.see(/Compacting conversation history: hooks \d+s/);
    expect(summaries()).toEqual([]);
    writeFileSync(open, "");
    await screen.reach("Conversation Compacted");
    const plain = openScreen(place, { columns: 110, rows: 40, args: ["--plain"] });
    await plain.see("/help");
    for (const at of [2, 3]) {
      plain.type(`tell me about ${"the lexer ".repeat(40)}${at}\r`);
      await plain.reach(`answer-${at}`);
    }
    plain.type("/compact\r");
    await plain.reach(
      /compaction: hooks[\s\S]*compaction: summarising [\d.]+k? tokens[\s\S]*compaction: writing checkpoint/,
    );
    await plain.reach(/Conversation Compacted/i);
  });

  it("F55 FE5 /model to one whose window is too small asks: stay, or compact first; when that fails: stay, or truncate", async () => {
    const { place, mains, summaries } = await stage((request, index) => text(`answer-${index} of ${request.model}`), {
      summary: (_request, index) => [error(400, "no"), stall("<overview>")][index] ?? text(SUMMARY),
    });
    delete place.env["EVERLONG_MAX_PROMPT_TOKENS"];
    place.env["EVERLONG_MODEL"] = "big";
    const entry = (name: string, limit: number) => ({
      id: `custom/${name}`,
      provider: "custom",
      max_prompt_tokens: limit,
    });
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, "models.json"), JSON.stringify([entry("big", 24_000), entry("small", 10_000)]));
    const screen = openScreen(place, { columns: 110, rows: 30 });
    await screen.see("? keys");
    for (let at = 0; at < 5; at++) {
      await say(screen, prose(2_000, `part-${at}`));
      await screen.reach(`answer-${at} of big`);
      await screen.see("? keys");
    }
    const answer = async (question: RegExp, number: string): Promise<void> => {
      await screen.see(question);
      // A question takes keys once it has stood for a moment without one.
      await new Promise((resolve) => setTimeout(resolve, 600));
      screen.type(number);
      await screen.lose(question);
    };
    const first = /larger than what custom\/small takes\. Compact it first\?/;
    screen.type("/model small\r");
    await answer(first, "2");
    await screen.reach("The model was not switched to custom/small.");
    expect(summaries()).toEqual([]);
    screen.type("/model small\r");
    await answer(first, "1");
    await answer(/was not compacted: the model failed\. Switch anyway/, "2");
    expect(summaries()).toHaveLength(1);
    screen.type("still here\r");
    await screen.reach("answer-5 of big");
    await screen.see("? keys");
    screen.type("/model small\r");
    await answer(first, "1");
    await screen.see(/summarising [\d.]+k tokens, \d+ received/);
    screen.press("escape");
    await answer(/was not compacted: you cancelled it\. Switch anyway/, "1");
    await screen.reach(/Model: custom\/small/);
    screen.type("and now\r");
    await screen.reach("answer-6 of small");
    expect(mains().at(-1)?.model).toBe("small");
  });
});
