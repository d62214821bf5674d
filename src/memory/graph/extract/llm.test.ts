// The extractor that asks a model: what it believes of an answer, and what becomes of a bad one.
import { expect, it } from "vitest";
import type { Episode } from "../../../schema/graph.ts";
import { type ExtractorUse, llmExtractor } from "./llm.ts";

const episode = (text: string): Episode => ({
  uuid: text,
  group: "g",
  name: "",
  source: "message",
  sourceDescription: "",
  text,
  role: "Ann",
  roleType: "user",
  validAt: "2026-01-02T00:00:00.000000Z",
  createdAt: "2026-01-02T00:00:00.000000Z",
  origin: "api",
  metadata: {},
  state: "running",
  tries: 0,
});

/** What comes of the answers, one a call. */
async function read(
  answers: readonly (string | undefined)[],
  texts: readonly string[] = ["The api uses Redis."],
  similar?: (group: string, name: string) => Promise<string[]>,
) {
  const prompts: string[] = [];
  const uses: ExtractorUse[] = [];
  const extractor = llmExtractor({
    batch: 8,
    ...(similar ? { similar } : {}),
    onUse: async (use) => uses.push(use),
    async ask(prompt) {
      const text = answers[prompts.push(prompt) - 1];
      return text === undefined ? undefined : { text, tokens: 100 };
    },
  });
  const extractions = await extractor.extract(texts.map(episode), new AbortController().signal);
  const facts = extractions.map((one) => one.facts.map((f) => `${f.subject.name} ${f.relation} ${f.object.name}`));
  return { facts, extractions, prompts, use: uses[0] };
}

const entities = [
  { name: "api", label: "Service" },
  { name: "Redis", label: "Wizard" },
];
const uses = { subject: "api", relation: "uses", object: "Redis", fact: "The api uses Redis." };
const whole = JSON.stringify({ messages: [{ index: 1, entities, facts: [uses] }] });

it("G10 a batch of eight costs one call, and each message gets its own facts", async () => {
  const texts = Array.from({ length: 8 }, (_, i) => `Message ${i}`);
  const messages = texts.map((_, i) => ({ index: i + 1, entities, facts: i === 3 ? [uses] : [] }));
  const { facts, prompts, use } = await read([JSON.stringify({ messages })], texts);
  expect([prompts.length, use?.calls, use?.tokens]).toEqual([1, 1, 100]);
  expect(facts.map((own) => own.length)).toEqual([0, 0, 0, 1, 0, 0, 0, 0]);
});

it.each([
  ["fences and prose", `Here you are:\n\`\`\`json\n${whole}\n\`\`\`\nDone.`],
  ["thoughts with another object", `<think>{"messages": []} or so</think>${whole}`],
  ["an echo of the schema", `{"type":"object","properties":{"messages":{"type":"array"}}}\n${whole}`],
  ["a cut-off array", `${whole.slice(0, -3)},{"subject":"api","relation":"us`],
])("G11 RB9 an answer with %s is read", async (_name, answer) => {
  const { facts, use, extractions } = await read([answer]);
  expect(facts).toEqual([["api USES Redis"]]);
  expect(use?.calls).toBe(1);
  expect(extractions[0]?.entities.map(({ label }) => label)).toEqual(["Service", "Term"]);
});

it("G11 RB9 prose is repaired once, then the rules read the message", async () => {
  const repaired = await read(["I cannot do that.", whole]);
  expect([repaired.facts, repaired.use?.calls, repaired.use?.fallbacks]).toEqual([[["api USES Redis"]], 2, 0]);
  const failed = await read(["No.", undefined], ["The api service depends on Redis."]);
  expect([failed.prompts.length, failed.use?.fallbacks]).toEqual([2, 1]);
  expect(failed.facts[0]?.length).toBeGreaterThan(0);
});

it("G11 G15 RB9 unlisted names, self-edges and empty facts are dropped, 50 facts are the most, unsaid endings are ignored", async () => {
  const bad = [
    { ...uses, object: "Mars" },
    { ...uses, object: "api" },
    { ...uses, fact: " " },
    { ...uses, relation: 7 },
  ];
  const many = Array.from({ length: 60 }, (_, i) => ({ ...uses, fact: `Fact ${i}.` }));
  const ended = [{ subject: "api", relation: "USES", object: "Redis" }];
  const answer = JSON.stringify({ messages: [{ index: 1, entities, facts: [...bad, ...many], ended }] });
  const { facts, use, extractions } = await read([answer]);
  expect([facts[0]?.length, use?.dropped, use?.ignored, extractions[0]?.endings]).toEqual([50, 14, 1, []]);
  const saidSo = await read([answer], ["The api no longer uses Redis."]);
  expect(saidSo.extractions[0]?.endings).toHaveLength(1);
});

it("G10 names that leave a doubt cost one more call, two a batch at most, and only what was asked is believed", async () => {
  const listed = [
    { name: "api", label: "Service" },
    { name: "Redis cache", label: "Tool" },
  ];
  const facts = [{ subject: "api", relation: "USES", object: "Redis cache", fact: "The api uses the Redis cache." }];
  const answer = JSON.stringify({ messages: [{ index: 1, entities: listed, facts }] });
  const similar = async (_: string, name: string) => (name === "Redis cache" ? ["Redis"] : []);
  const same = JSON.stringify({ same: [{ name: "Redis cache", known: "Redis" }] });
  const settled = await read([answer, same], undefined, similar);
  expect(settled.facts).toEqual([["api USES Redis"]]);
  expect(settled.use?.calls).toBe(2);
  expect(settled.prompts[1]).toContain('"Redis cache": ["Redis"]');
  const invented = JSON.stringify({ same: [{ name: "api", known: "Redis" }] });
  expect((await read([answer, invented], undefined, similar)).facts).toEqual([["api USES Redis cache"]]);
  expect((await read([answer, "no idea"], undefined, similar)).facts).toEqual([["api USES Redis cache"]]);
  // No doubt, no call; and none after a repair.
  expect((await read([answer], undefined, async () => [])).use?.calls).toBe(1);
  expect((await read(["prose", answer, same], undefined, similar)).use?.calls).toBe(2);
});
