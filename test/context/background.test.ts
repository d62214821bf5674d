// CE2 CB24: compaction beside the conversation: requests go on, the result merges, waiting begins at the exhaustion threshold.
import { describe, expect, it } from "vitest";
import { messagesOf, textOf, until } from "../agent/scene.ts";
import { calls, hang, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { type Conversation, converse, gate, isSummary, LIMIT, outcomes, prose, SUMMARY, stage } from "./stage.ts";

/** Prints about so many tokens. */
const block = (n: number, lines: number) =>
  calls([
    {
      name: "bash",
      args: {
        command: `for i in $(seq ${lines}); do echo "block-${n} line $i: the quick brown fox rests here."; done`,
      },
    },
  ]);

/** Small turns until a background attempt has begun. */
async function fill({ say, events }: Conversation): Promise<void> {
  for (let n = 1; only(events, "session.compaction_start").length === 0; n++) await say(prose(900, `part-${n}`));
}

describe("CE2 background compaction", () => {
  it("CE2 C27 C107 C90 requests go on beside the summary; it is applied before the next; what came meanwhile follows unchanged", async () => {
    const held = gate();
    const summaryBegan = gate();
    let meanwhile = 0;
    const { place, server, mains } = await stage(
      async (_request, n) => {
        if (n < 6) return block(n + 1, 205);
        // Background from about here: three more small steps while the summary is held, then it is let go.
        if (n < 9) {
          await summaryBegan.opened;
          meanwhile++;
          if (n === 8) held.open();
          return calls([{ name: "bash", args: { command: `sleep 0.3; echo meanwhile-${n}` } }]);
        }
        return text("all done");
      },
      {
        summary: () => {
          summaryBegan.open();
          return text(SUMMARY, { hold: held.opened });
        },
      },
    );
    const done = await run(place, ["-p", "print the blocks", "--output-format", "stream-json"]);
    expect(done.code, done.stderr).toBe(0);
    expect(meanwhile).toBe(3);
    const [begun] = only(done.events, "session.compaction_start");
    expect(begun?.data).toMatchObject({ trigger: "threshold", mode: "background" });
    expect(begun?.data.currentTokens).toBeGreaterThanOrEqual(0.8 * LIMIT);
    const [applied] = only(done.events, "session.compaction_complete");
    expect(applied?.data).toMatchObject({ outcome: "applied", checkpointNumber: 1 });

    const summaryAt = server.requests.findIndex(isSummary);
    expect(mains().filter((r) => r.index > summaryAt).length).toBeGreaterThanOrEqual(3);
    const before = messagesOf(mains().at(-2));
    const after = messagesOf(mains().at(-1));
    expect(textOf(after[1])).toBe(applied?.data.replacementContent);
    // What the request before it ended with stands behind the message, byte for byte, then the newest step.
    const kept = after.slice(2, -2);
    expect(kept.length).toBeGreaterThanOrEqual(4);
    expect(kept).toEqual(before.slice(-kept.length));
    expect(textOf(after.at(-1))).toContain("meanwhile-8");
    const types = done.events.map((e) => e.type);
    const at = types.indexOf("session.compaction_complete");
    expect(types.slice(at).indexOf("session.usage_info")).toBeGreaterThan(0);
  });

  it("CE2 C30 at the exhaustion threshold the request waits until the summary is there", async () => {
    const held = gate();
    const { place, server, summaries } = await stage(() => text("answer"), {
      summary: () => text(SUMMARY, { hold: held.opened }),
    });
    const talk = await converse(place);
    const { client, events } = talk;
    await fill(talk);
    expect(summaries()).toHaveLength(1);
    const before = server.requests.length;
    await client.send(prose(3_200, "last"));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(server.requests).toHaveLength(before);
    expect(outcomes(events)).toEqual([]);
    held.open();
    await client.untilIdle();
    expect(server.requests).toHaveLength(before + 1);
    expect(outcomes(events)).toEqual(["applied"]);
    const sent = server.requests.at(-1)?.rawBody ?? "";
    expect(sent.includes("last line 1:")).toBe(true);
    expect(sent.includes("part-5 line 1:")).toBe(false);
  });

  it("C31 C19 C135 a summary that is ready when the turn ends is applied then, and usage follows", async () => {
    const { place } = await stage((_r, n) => text("answer", n === 2 ? { delayMs: 400 } : {}));
    const { events, say } = await converse(place);
    for (const n of [1, 2]) await say(prose(5_300, `part-${n}`));
    const last = await say(prose(5_300, "part-3"));
    expect(outcomes(events)).toEqual(["applied"]);
    const types = last.map((e) => e.type);
    const at = types.indexOf("session.compaction_complete");
    expect(at).toBeGreaterThan(types.indexOf("turn.end"));
    expect(types.slice(at)).toContain("session.usage_info");
    const usage = only(last, "session.usage_info").at(-1)?.data;
    const [applied] = only(last, "session.compaction_complete");
    expect(usage).toMatchObject({ currentTokens: applied?.data.postCompactionTokens, epoch: { reason: "compaction" } });
  });

  it("C32 at the end of prompt mode a running summary is waited for and applied", async () => {
    const { place } = await stage(() => text("answer"), { summary: () => text(SUMMARY, { delayMs: 1_000 }) });
    const { client, say, close } = await converse(place);
    for (const n of [1, 2]) await say(prose(5_300, `part-${n}`));
    await close();
    const done = await run(place, ["--resume", client.sessionId, "-p", prose(5_300, "part-3")]);
    expect(done.code, done.stderr).toBe(0);
    expect(outcomes(logOf(place))).toEqual(["applied"]);
    expect(done.stderr).toContain("Conversation compacted");
  });

  it("C30 C108 an interrupt ends the compaction that is waited for and not the turn", async () => {
    const { place, summaries } = await stage(() => text("answer"), { summary: () => hang() });
    const talk = await converse(place, { interactive: true });
    const { client, events } = talk;
    for (let n = 1; n <= 7; n++) await talk.say(prose(1_900, `part-${n}`));
    expect(summaries()).toEqual([]);
    await client.send(prose(6_000, "part-8"));
    await until("the summary call", () => summaries().length === 1);
    expect(client.interrupt("user")).toEqual([]);
    await client.untilIdle();
    expect(outcomes(events)).toEqual(["user"]);
    expect(client.view().lastTurn?.status).toBe("done");
    expect(summaries().map((r) => r.aborted)).toEqual([true]);
  });

  it("CB24 C131 a rewind while compacting cancels the attempt; the late summary changes nothing", async () => {
    const held = gate();
    const { place, mains } = await stage(() => text("answer"), {
      summary: () => text(SUMMARY, { hold: held.opened }),
    });
    const { client, events, say } = await converse(place);
    for (const n of [1, 2, 3]) await say(prose(5_300, `part-${n}`));
    expect((await client.history.rewind("t3")).ok).toBe(true);
    expect(outcomes(events)).toEqual(["history_changed"]);
    held.open();
    await say("what now");
    expect(outcomes(events)).toEqual(["history_changed"]);
    const sent = messagesOf(mains().at(-1)).map((m) => textOf(m).slice(0, 8));
    expect(sent.slice(1)).toEqual(["part-1 l", "answer", "part-2 l", "answer", "what now"]);
  });

  it("C32 an interactive exit cancels a running attempt", async () => {
    const { place } = await stage(() => text("answer"), { summary: () => hang() });
    const { client, say, close } = await converse(place, { interactive: true });
    for (const n of [1, 2, 3]) await say(prose(5_300, `part-${n}`));
    await close();
    expect(outcomes(logOf(place, client.sessionId))).toEqual(["shutdown"]);
  });

  it("C33 two /compact typed during one turn both end", async () => {
    const held = gate();
    const { place, server } = await stage((_r, n) => text("answer", n === 1 ? { hold: held.opened } : {}));
    const { client, events, say } = await converse(place);
    await say("one");
    await client.send("two");
    await server.waitFor(2);
    const both = [client.history.compact("first"), client.history.compact("second")];
    held.open();
    const [first, second] = await Promise.all(both);
    expect(first?.ok).toBe(true);
    expect(second?.ok ? "" : second?.error.code).toMatch(/already_running|nothing_to_compact/);
    expect(outcomes(events)).toEqual(["applied"]);
  });
});
