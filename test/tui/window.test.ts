// The window on the screen: the meter climbs, says when it will compact, and a compaction is seen, cancelled and found again.
import { describe, expect, it } from "vitest";
import { messagesOf, onlySession } from "../agent/scene.ts";
import { gate, prose, SUMMARY, stage } from "../context/stage.ts";
import { text } from "../model-server/reply.ts";
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

  it("FE5 F29 /compact shows what runs and since when; Esc cancels it and leaves the history; a second at once is refused", async () => {
    const { place, mains, summaries } = await stage((_request, index) => text(`answer-${index}`), {
      summary: () => new Promise(() => undefined),
    });
    const screen = openScreen(place, { columns: 110, rows: 30 });
    await screen.see("? keys");
    for (const [at, words] of ["first", "second", "third"].entries()) {
      await say(screen, prose(1_200, words));
      await screen.reach(`answer-${at}`);
      await screen.see("? keys");
    }
    screen.type("/compact\r");
    await screen.see(/Compacting conversation history \d+s · esc cancels/);
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
});
