// CE4 C46 C47 C118 CI1–CI6 CI11 P21: requests trimmed and never the session: sticky cuts, shared prefixes, nothing lost.
import { describe, expect, it } from "vitest";
import type { Envelope } from "../../src/schema/event/envelope.ts";
import { messagesOf, textOf } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { converse, LIMIT, prose, recalled, stage } from "./stage.ts";

const NEVER = { EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "2" };

const block = (n: number) =>
  calls([
    {
      name: "bash",
      args: { command: `for i in $(seq 60); do echo "block-${n} line $i of sixty, all of them alike"; done` },
    },
  ]);

/** The request goes on where the one before it ended. */
const extendsBefore = (before: Recorded, after: Recorded): boolean => {
  const [old, now] = [messagesOf(before), messagesOf(after)];
  return old.every((message, at) => JSON.stringify(message) === JSON.stringify(now[at]));
};

type Played = { events: Envelope[]; requests: Recorded[]; log: Envelope[] };

describe("CE4 truncation alone", () => {
  let played: Played | undefined;
  const ROUNDS = 60;
  const PROMPTS = 40;

  it("CE4 C28 one prompt of 60 tool rounds, then 40 prompts: all answered, no summary call", async () => {
    const { place, mains, summaries } = await stage((_r, n) => (n < ROUNDS ? block(n + 1) : text(`answer ${n}`)), {
      env: NEVER,
    });
    const { events, say, client, close } = await converse(place);
    await say("MARKER-TASK print sixty blocks");
    expect(client.view().lastTurn).toEqual({ status: "done" });
    for (let n = 2; n <= PROMPTS + 1; n++) {
      await say(prose(900, `prompt-${n}`));
      expect(client.view().lastTurn).toEqual({ status: "done" });
    }
    await close();
    expect(summaries()).toEqual([]);
    expect(only(events, "session.compaction_start")).toEqual([]);
    played = { events, requests: mains(), log: logOf(place) };
    expect(played.requests).toHaveLength(ROUNDS + 1 + PROMPTS);
  });

  it("CE4 C19 C20 C50 CI3 figures of every request are those of its body, and within the limit", () => {
    const { events = [], requests = [] } = played ?? {};
    const told = only(events, "session.usage_info");
    expect(told).toHaveLength(requests.length);
    const cuts = new Map<number, Envelope<"session.truncation">>();
    let at = 0;
    for (const event of events) {
      if (event.type === "session.truncation") cuts.set(at, event);
      if (event.type === "session.usage_info") at++;
    }
    for (const [n, request] of requests.entries()) {
      const usage = told[n]?.data;
      const messages = messagesOf(request).filter((m) => m.role !== "system");
      expect(usage?.messagesLength).toBe(messages.length);
      expect(usage?.currentTokens).toBeLessThanOrEqual(LIMIT);
      const { systemTokens = 0, conversationTokens = 0, toolDefinitionsTokens = 0 } = usage ?? {};
      expect(systemTokens + conversationTokens + toolDefinitionsTokens).toBe(usage?.currentTokens);
      expect(usage?.isInitial).toBe(n === 0);
      const cut = cuts.get(n)?.data;
      const notices = messages.filter((m) => textOf(m).includes("earlier messages of t"));
      expect(notices).toHaveLength(cut ? 1 : 0);
      if (!cut) continue;
      expect(cut.postTruncationMessagesLength).toBe(messages.length);
      expect(cut.postTruncationTokensInMessages).toBe(conversationTokens);
      expect(cut.messagesRemovedDuringTruncation).toBe(cut.preTruncationMessagesLength - messages.length);
      expect(cut.tokensRemovedDuringTruncation).toBe(cut.preTruncationTokensInMessages - conversationTokens);
      expect(cut.omittedMessages).toBe(cut.preTruncationMessagesLength - messages.length + 1);
    }
    expect(cuts.size).toBeGreaterThan(50);
  });

  it("CE4 C46 C118 CI11 C121 few cuts; between them each request extends the one before, and says why when not", () => {
    const { events = [], requests = [] } = played ?? {};
    const told = only(events, "session.usage_info").map((e) => e.data);
    let cuts = 0;
    for (let n = 1; n < requests.length; n++) {
      const [before, after] = [requests[n - 1], requests[n]];
      const same = told[n]?.epoch?.number === told[n - 1]?.epoch?.number;
      if (!same) expect(told[n]?.epoch?.reason).toBe("cut");
      if (!same) cuts++;
      if (before && after) expect([n, extendsBefore(before, after)]).toEqual([n, same]);
    }
    expect(cuts).toBeGreaterThan(2);
    expect(cuts).toBeLessThanOrEqual(requests.length / 8);
  });

  it("CE4 CI2 C37 C38 C41 system and newest prompt always stand there, and the first prompt of the session", () => {
    const { requests = [] } = played ?? {};
    const first = messagesOf(requests[0])[0];
    const last = requests.at(-1);
    for (const [n, request] of requests.entries()) {
      const messages = messagesOf(request);
      expect(messages[0]).toEqual(first);
      const wanted = n <= ROUNDS ? "MARKER-TASK" : `prompt-${n - ROUNDS + 1} line 75:`;
      expect(messages.some((m) => m.role === "user" && textOf(m).includes(wanted))).toBe(true);
    }
    // The first prompt of the session goes last of the prompts.
    expect(messagesOf(last).some((m) => textOf(m).includes("MARKER-TASK"))).toBe(true);
  });

  it("CE4 C48 C114 CI9 the log holds everything, whole", () => {
    const { log = [] } = played ?? {};
    const results = only(log, "tool.execution_complete").map((e) => e.data.result.content);
    expect(results).toHaveLength(ROUNDS);
    for (const [n, content] of results.entries()) {
      expect(content).toContain(`block-${n + 1} line 1 of`);
      expect(content).toContain(`block-${n + 1} line 60 of`);
    }
    expect(only(log, "user.message")).toHaveLength(PROMPTS + 1);
    for (const type of ["session.truncation", "session.usage_info"]) expect(log.map((e) => e.type)).not.toContain(type);
  });
});

describe("P21 C114 store before trim", () => {
  it("P21 PI5 every marker of 60 oversized turns is in the request or comes back by recall", async () => {
    const { place, mains } = await stage(() => text("noted"), { env: NEVER });
    const { say, client } = await converse(place);
    for (let n = 1; n <= 60; n++) {
      await say(prose(800, `MARK-${n}-END`));
      const body = mains().at(-1)?.rawBody ?? "";
      if (n % 12 !== 0) continue;
      for (let m = 1; m <= n; m++) {
        if (body.includes(`MARK-${m}-END line 66:`)) continue;
        expect((await recalled(client, `t${m}.1`)).includes(`MARK-${m}-END line 66:`)).toBe(true);
      }
      expect((await recalled(client, `MARK-${n - 11}-END`)).includes(`t${n - 11}.1`)).toBe(true);
    }
  });
});

describe("C47 CI6 resumed as it was", () => {
  it("CI6 a resumed session sends the bytes that the live one would have sent", async () => {
    const { place, mains } = await stage((_r, n) => (n < 3 ? block(n) : text("answer")), { env: NEVER });
    const first = await converse(place);
    await first.say("print three blocks");
    await first.say("second prompt");
    const live = await first.say("third prompt");
    expect(live.length).toBeGreaterThan(0);
    await first.client.history.rewind("t3");
    await first.close();
    const sent = mains().at(-1)?.rawBody;
    const again = await converse(place, { resume: first.client.sessionId });
    await again.say("third prompt");
    await again.close();
    expect(mains().at(-1)?.rawBody).toBe(sent);
  });

  it("CI6 C128 the same after a compaction, through the program", async () => {
    const { place, mains } = await stage(() => text("answer"), {});
    const first = await converse(place);
    for (const n of [1, 2, 3]) await first.say(prose(700, `part-${n}`));
    await first.client.history.compact("");
    await first.say("after it");
    await first.client.history.rewind("t4");
    await first.close();
    const sent = mains().at(-1)?.rawBody;
    const done = await run(place, ["--resume", first.client.sessionId, "-p", "after it"]);
    expect(done.code, done.stderr).toBe(0);
    expect(mains().at(-1)?.rawBody).toBe(sent);
  });

  it("C47 CI5 a cut computed anew after a resume is the same every time", async () => {
    const { place, mains } = await stage(() => text("answer"), { env: NEVER });
    const first = await converse(place);
    for (let n = 1; n <= 30; n++) await first.say(prose(1_000, `part-${n}`));
    await first.close();
    const bodies: string[] = [];
    for (let n = 0; n < 2; n++) {
      const again = await converse(place, { resume: first.client.sessionId });
      const told = await again.say("and now?");
      bodies.push(mains().at(-1)?.rawBody ?? "");
      expect(only(told, "session.truncation")).toHaveLength(1);
      expect(only(told, "session.usage_info")[0]?.data.epoch).toEqual({ number: 2, reason: "cut" });
      await again.client.history.rewind("1");
      await again.close();
    }
    expect(bodies[0]).toBe(bodies[1]);
  });
});

describe("EVERLONG_TRUNCATION=off", () => {
  it("C49 nothing is dropped or shortened: the oversized request goes out and the provider's error is shown", async () => {
    const { place, mains, server } = await stage(() => text("answer"), {
      limit: 8_000,
      refusals: true,
      env: { ...NEVER, EVERLONG_TRUNCATION: "off" },
    });
    const { say, client } = await converse(place);
    for (let n = 1; n <= 3; n++) await say(prose(3_000, `part-${n}`));
    const last = await say("and now?");
    expect(server.requests.some((r) => r.overLimit)).toBe(true);
    expect(client.view().lastTurn?.status).toBe("failed");
    expect(only(last, "session.truncation")).toEqual([]);
    const sent = mains().at(-1)?.rawBody ?? "";
    for (let n = 1; n <= 3; n++) expect(sent.includes(`part-${n} line 250:`)).toBe(true);
    expect(only(last, "session.error").at(-1)?.data.message).toContain("maximum context length");
  });
});
