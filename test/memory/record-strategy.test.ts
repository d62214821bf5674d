// Embedded and injected strategies through the suite that all strategies pass; which one a session gets.
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { chooseStrategy, type StrategySettings, strategyKind } from "../../src/memory/record/choose.ts";
import { injectedStrategy } from "../../src/memory/record/injected.ts";
import { embeddedOver, here, openMemories, signal } from "./record-fixture.ts";
import { draft, filtered, strategyConformance } from "./strategy.conformance.ts";

strategyConformance("embedded", async () => {
  const db = await openMemories();
  const strategy = embeddedOver(db);
  return {
    strategy,
    place: here,
    elsewhere: { strategy, place: { repository: "acme/other", user: "someone" } },
    tombstones: true,
    end: () => db.close(),
  };
});

strategyConformance("injected", async () => ({
  strategy: injectedStrategy({ prompt: "", votes: true, clock: systemClock }),
  place: here,
  elsewhere: undefined,
  tombstones: false,
}));

const settings: StrategySettings = {
  enabled: true,
  strategy: "auto",
  injected: undefined,
  agenticMemory: true,
  serviceUrl: undefined,
  memoryInRepo: false,
};
const never = () => {
  throw new Error("must not be made");
};

describe("M27 which strategy", () => {
  it.each([
    [{}, "embedded"],
    [{ memoryInRepo: true }, "jsonl"],
    [{ memoryInRepo: true, serviceUrl: "http://x" }, "service"],
    [{ memoryInRepo: true, serviceUrl: "http://x", agenticMemory: false }, "jsonl"],
    [{ serviceUrl: "http://x", injected: "" }, "injected"],
    [{ injected: "text", strategy: "embedded" }, "embedded"],
  ] as const)("M27 %j is %s", (more, kind) => {
    expect(strategyKind({ ...settings, ...more })).toBe(kind);
  });

  it("M27 a service that cannot be used is skipped with its reason, never replaced", async () => {
    const makers = { embedded: never, service: never, jsonl: never, injected: never };
    expect(await chooseStrategy({ ...settings, strategy: "service" }, makers)).toMatchObject({
      type: "skipped",
      message: expect.stringContaining("memory.service.url"),
    });
    const skip = { type: "skipped", reason: "consent", message: "no consent" } as const;
    const service = { ...makers, service: () => skip };
    expect(await chooseStrategy({ ...settings, serviceUrl: "http://x" }, service)).toEqual(skip);
  });

  it("M5 switched off nothing is made", async () => {
    const makers = { embedded: never, service: never, jsonl: never, injected: never };
    expect(await chooseStrategy({ ...settings, enabled: false }, makers)).toMatchObject({ reason: "memory_off" });
  });
});

describe("M46 embedded", () => {
  it("M46 the last commits are asked for before records are ranked, and not when there are none", async () => {
    const db = await openMemories();
    const asked: string[] = [];
    const tree = {
      check: () => "verified" as const,
      isNear: () => asked.push("near") > 0,
      look: async () => void asked.push("look"),
    };
    const strategy = embeddedOver(db, { tree });
    const ask = { place: here, scopes: ["repository"] as const, maxTokens: 2000, maxRecords: 60 };
    await strategy.prompt(ask, signal);
    expect(asked).toEqual([]);
    await strategy.store(draft(here, "ranked"), signal);
    await strategy.prompt(ask, signal);
    expect(asked[0]).toBe("look");
    expect(asked.slice(1)).toContain("near");
    expect(asked.slice(1)).not.toContain("look");
    db.close();
  });
});

describe("M40 injected", () => {
  it("M40 shows its text, keeps what is stored for the session, and votes only when told to", async () => {
    const strategy = injectedStrategy({ prompt: "- one\n- two", votes: false, clock: systemClock });
    const ask = { place: here, scopes: ["repository"] as const, maxTokens: 100, maxRecords: 5 };
    expect(await strategy.prompt(ask, signal)).toMatchObject({
      answer: { prompt: "- one\n- two", counts: { total: 2 }, tools: { store: { name: "store_memory" } } },
    });
    await strategy.store(draft(here, "kept"), signal);
    expect(await strategy.find("kept", { place: here }, signal)).toMatchObject({ type: "found" });
    const ballot = {
      fact: filtered("kept"),
      reason: filtered("x"),
      place: here,
      actor: { key: "a", kind: "agent" },
    } as const;
    expect(await strategy.vote({ ...ballot, direction: "upvote" }, signal)).toEqual({ type: "unsupported" });
  });
});
