// CE12 CB24 C72 C73 C65: switching to a smaller model, and compaction that is off or by hand only.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Envelope } from "../../src/schema/event/envelope.ts";
import { until } from "../agent/scene.ts";
import { error, hang, type Reply, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run } from "../tool/everlong.ts";
import { type Conversation, checkLog, converse, outcomes, prose, type StageOptions, SUMMARY, stage } from "./stage.ts";

const BIG = 40_000;
const SMALL = 16_000;

/** Two models of the scripted server with their own limits; 20,000 tokens said to the big one. */
async function onBigModel(options: StageOptions = {}, turns = 10) {
  const staged = await stage((r) => text(`answer of ${r.model}`), { maxTokens: BIG * 1.3, ...options });
  const { place } = staged;
  place.env["EVERLONG_MODEL"] = "";
  delete place.env["EVERLONG_MAX_PROMPT_TOKENS"];
  const entry = (name: string, limit: number) => ({
    id: `custom/${name}`,
    provider: "custom",
    max_prompt_tokens: limit,
  });
  mkdirSync(place.home, { recursive: true });
  writeFileSync(
    join(place.home, "models.json"),
    JSON.stringify([entry("big", BIG), entry("big2", BIG), entry("small", SMALL)]),
  );
  const talk = await converse(place, { flags: { model: "big" } });
  for (let n = 1; n <= turns; n++) await talk.say(prose(1_900, `part-${n}`));
  return { ...staged, ...talk };
}

/** Stops at the event, not at the call: one message more could pass the mark at which a turn waits for the summary. */
async function sayUntilCompacting(say: Conversation["say"], events: readonly Envelope[], name: string): Promise<void> {
  while (!events.some((e) => e.type === "session.compaction_start")) await say(prose(1_000, name));
}

const smallRequests = (all: { model: string; rawBody: string }[]) => all.filter((r) => r.model === "small");

describe("CE12 model switch", () => {
  it("CE12 C72 --resume ID --model small: the old model summarises, then the first small request fits", async () => {
    const { place, client, close, summaries, mains } = await onBigModel();
    await close();
    expect(summaries()).toEqual([]);
    const done = await run(place, ["--resume", client.sessionId, "--model", "small", "-p", "go on"]);
    expect([done.code, done.stdout], done.stderr).toEqual([0, "answer of small\n"]);
    expect(done.stderr).toContain("compacted first");
    expect(summaries().map((r) => r.model)).toEqual(["big"]);
    const log = logOf(place, client.sessionId);
    const [begun] = only(log, "session.compaction_start").map((e) => e.data);
    expect(begun).toMatchObject({
      trigger: "model_switch",
      model: "custom/big",
      switchTargetModel: "custom/small",
      targetPromptTokenLimit: SMALL,
    });
    const [applied] = only(log, "session.compaction_complete").map((e) => e.data);
    expect(applied).toMatchObject({ outcome: "applied", switchTargetModel: "custom/small" });
    expect(applied?.postCompactionTokens).toBeLessThanOrEqual(0.5 * SMALL + 1);
    expect(only(log, "session.model_change").map((e) => [e.data.previousModel, e.data.newModel])).toEqual([
      ["custom/big", "custom/small"],
    ]);
    const [first] = smallRequests(mains());
    expect((first?.rawBody.length ?? Infinity) / 4).toBeLessThanOrEqual(SMALL);
    const order = log.map((e) => e.type).filter((t) => /compaction_complete|model_change/.test(t));
    expect(order).toEqual(["session.compaction_complete", "session.model_change"]);
  });

  it("AE10 C72 from openai-responses with reasoning to a smaller model on anthropic: compacted first, and nothing foreign is sent", async () => {
    const { place, server, mains, summaries } = await stage(
      (r) => text(`answer of ${r.model}`, { reasoning: "I think" }),
      {
        maxTokens: BIG * 1.3,
      },
    );
    place.env["EVERLONG_MODEL"] = "";
    delete place.env["EVERLONG_MAX_PROMPT_TOKENS"];
    const entry = (name: string, max_prompt_tokens: number, wire: string) => ({
      ...{ id: `custom/${name}`, provider: "custom", max_prompt_tokens, wire },
      supports: { reasoning: true },
    });
    const models = [entry("big", BIG, "openai-responses"), entry("small", SMALL, "anthropic")];
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, "models.json"), JSON.stringify(models));
    const { client, say, close } = await converse(place, { flags: { model: "big" } });
    for (let n = 1; n <= 10; n++) await say(prose(1_900, `part-${n}`));
    await close();
    expect(mains().at(-1)).toMatchObject({ wire: "openai-responses" });
    expect(mains().at(-1)?.rawBody).toContain('"reasoning"');
    const done = await run(place, ["--resume", client.sessionId, "--model", "small", "-p", "go on"]);
    expect([done.code, done.stdout], done.stderr).toEqual([0, "answer of small\n"]);
    const triggers = only(logOf(place, client.sessionId), "session.compaction_complete").map((e) => e.data.trigger);
    expect(triggers).toEqual(["model_switch"]);
    expect(summaries()).toHaveLength(1);
    const last = server.requests.at(-1);
    expect(last).toMatchObject({ wire: "anthropic", model: "small" });
    expect(last?.violation).toBeUndefined();
    expect(last?.rawBody).not.toMatch(/encrypted_content|"reasoning"|rs_/);
  });

  it("C72 a history that fits the new model is not compacted", async () => {
    const { place, client, close, summaries } = await onBigModel({}, 4);
    await close();
    const done = await run(place, ["--resume", client.sessionId, "--model", "small", "-p", "go on"]);
    expect([done.code, done.stdout], done.stderr).toEqual([0, "answer of small\n"]);
    expect(summaries()).toEqual([]);
    expect(outcomes(logOf(place, client.sessionId))).toEqual([]);
  });

  it("C73 a switch whose compaction fails goes on with truncation and a warning", async () => {
    const { place, client, close, mains } = await onBigModel({ summary: () => error(400, "no") });
    await close();
    const done = await run(place, ["--resume", client.sessionId, "--model", "small", "-p", "go on"]);
    expect([done.code, done.stdout], done.stderr).toEqual([0, "answer of small\n"]);
    expect(done.stderr).toMatch(/Warning: .*truncated/);
    expect(outcomes(logOf(place, client.sessionId))[0]).toBe("model_error");
    const [first] = smallRequests(mains());
    expect((first?.rawBody.length ?? Infinity) / 4).toBeLessThanOrEqual(SMALL * 1.1);
  });

  it("C72 C73 asked: stay keeps the model; yes compacts first, and the next request goes to the new one", async () => {
    const answers = ["stay with the current model", "compact first"];
    const staged = await onBigModel();
    await staged.close();
    const question = async ({ choices }: { choices?: string[] }) => choices?.find((c) => c === answers[0]);
    const { client, say, events } = await converse(staged.place, {
      resume: staged.client.sessionId,
      interactive: true,
      prompts: { question },
    });
    const stayed = await client.model.set("small");
    expect(stayed.ok ? "" : stayed.error.code).toBe("switch_declined");
    expect(client.view().model).toBe("custom/big");
    answers.shift();
    expect((await client.model.set("small")).ok).toBe(true);
    expect(outcomes(events)).toEqual(["applied"]);
    const usage = only(events, "session.usage_info").at(-1)?.data;
    expect(usage).toMatchObject({ tokenLimit: SMALL, model: "custom/small", epoch: { reason: "model_switch" } });
    await say("hello small");
    expect(staged.mains().at(-1)?.model).toBe("small");
  });

  it("C65 compaction off: a person is not asked and nothing is compacted; requests are truncated", async () => {
    const staged = await onBigModel({ env: { EVERLONG_COMPACTION: "off" } });
    await staged.close();
    const asked: string[] = [];
    const { client, say, events } = await converse(staged.place, {
      resume: staged.client.sessionId,
      interactive: true,
      prompts: { question: async ({ question }) => void asked.push(question) },
    });
    expect((await client.model.set("small")).ok).toBe(true);
    await say("hello small");
    expect(asked).toEqual([]);
    expect(staged.summaries()).toEqual([]);
    expect(outcomes(events)).toEqual([]);
  });

  it("CB24 a switch while a background attempt runs cancels it; its late summary changes nothing", async () => {
    const { client, events, say, summaries } = await onBigModel({
      summary: (_r, n) => (n === 0 ? hang() : text(SUMMARY)),
    });
    await sayUntilCompacting(say, events, "more");
    await until("the summary call", () => summaries().length === 1);
    expect((await client.model.set("big2")).ok).toBe(true);
    expect(outcomes(events)).toEqual(["superseded"]);
    await until("the call's end", () => summaries()[0]?.aborted);
    await say("next");
    expect(client.view().lastTurn).toEqual({ status: "done" });
  });
});

describe("CE12 C65 compaction off and manual", () => {
  it("CB24 C65 switched off while an attempt runs: it is cancelled at the next request", async () => {
    const { place, summaries } = await stage(() => text("answer"), { summary: () => hang() });
    const { client, say, events } = await converse(place);
    await sayUntilCompacting(say, events, "part");
    await until("the summary call", () => summaries().length === 1);
    expect((await client.settings.set("compaction.mode", "off", {})).ok).toBe(true);
    await say("next");
    expect(outcomes(events)).toEqual(["turned_off"]);
    await until("the call's end", () => summaries()[0]?.aborted);
    await say("and one more");
    expect(summaries()).toHaveLength(1);
  });

  const forty = async (place: Place) => {
    const talk = await converse(place);
    for (let n = 1; n <= 40; n++) {
      const told = await talk.say(prose(900, `part-${n}`));
      expect(only(told, "assistant.message")).toHaveLength(1);
    }
    return talk;
  };

  it.each(["off", "manual"])(
    "CE12 C65 %s: no summary call over forty prompts, truncation keeps it valid",
    async (mode) => {
      const { place, summaries, mains } = await stage((): Reply => text("answer"), {
        env: { EVERLONG_COMPACTION: mode },
      });
      const { client, events, close } = await forty(place);
      expect(summaries()).toEqual([]);
      expect(only(events, "session.compaction_start")).toEqual([]);
      expect(only(events, "session.truncation").length).toBeGreaterThan(10);
      expect(only(events, "session.usage_info").at(-1)?.data.compactionAt).toBeUndefined();
      expect(mains()).toHaveLength(40);
      await close();
      const compacted = await run(place, ["--resume", client.sessionId, "-p", "/compact"]);
      expect(compacted.code).toBe(mode === "off" ? 1 : 0);
      if (mode === "off") expect(compacted.stderr).toContain("compaction.mode");
      expect(summaries().length > 0).toBe(mode === "manual");
      checkLog(logOf(place, client.sessionId));
    },
  );
});
