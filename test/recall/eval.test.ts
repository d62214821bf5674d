// RE4 R58-R61: the measuring command on the committed files and on broken ones.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parseCorpora } from "../../src/memory/recall/eval/corpus.ts";
import { type Evaluation, evaluate } from "../../src/memory/recall/eval/evaluate.ts";
import { isName } from "../../src/memory/recall/item.ts";
import { newPlace, run } from "../tool/everlong.ts";
import { treeOf } from "../tool/tree-hash.ts";

const folder = join(import.meta.dirname, "..", "eval");
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
const corpora = (name: string) => {
  const parsed = parseCorpora(readFileSync(join(folder, name), "utf8"));
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};

describe("RE4 everlong eval recall", () => {
  const figures = new Map<string, Evaluation>();
  beforeAll(async () => {
    for (const name of files) figures.set(name, await evaluate(corpora(name)));
  });

  it.each(files)("R61 %s: above plain full-text search", (name) => {
    const { ratio } = figures.get(name)!;
    expect(ratio.recall10).toBeGreaterThanOrEqual(1.08);
    expect(ratio.recall5).toBeGreaterThanOrEqual(1);
    expect(ratio.mrr).toBeGreaterThanOrEqual(1);
  });

  it("R61 on the mean of all files that plain full-text search can read", () => {
    const ratios = [...figures].flatMap(([name, { ratio }]) => (name.startsWith("cjk") ? [] : [ratio.recall10]));
    expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeGreaterThanOrEqual(1.35);
  });

  it("RE4 the plain channel alone is plain full-text search; names of speakers can only help", async () => {
    for (const name of files.filter((f) => !f.startsWith("cjk"))) {
      const { ours, baseline } = await evaluate(corpora(name), { signals: ["plain"] });
      const { documents, questions } = corpora(name)[0]!;
      const named = documents.some((d) => isName(d.role ?? ""));
      // In a small file one question, which equal scores may decide, is more than that.
      const most = Math.max(0.03, 1 / questions.length) + 1e-9;
      expect(ours.recall10 - baseline.recall10, name).toBeGreaterThanOrEqual(-most);
      if (!named) expect(ours.recall10 - baseline.recall10, name).toBeLessThanOrEqual(most);
    }
  });

  it("R58 a file of lines or of one object, and every option", async () => {
    const place = newPlace();
    mkdirSync(place.folder, { recursive: true });
    const corpus = (name: string, word: string) => ({
      name,
      documents: Array.from({ length: 12 }, (_, i) => ({ id: `${i}`, text: `the ${word} stands in room ${i}` })),
      questions: [{ text: `room 7 ${word}`, relevant: ["7"], kind: word }],
    });
    const [one, lines] = [join(place.folder, "one.json"), join(place.folder, "lines.jsonl")];
    writeFileSync(one, JSON.stringify(corpus("one", "lamp"), null, 2));
    writeFileSync(
      lines,
      `${[corpus("one", "lamp"), corpus("two", "clock")].map((c) => JSON.stringify(c)).join("\n")}\n`,
    );
    const measured = async (...args: string[]) =>
      JSON.parse((await run(place, ["eval", "recall", ...args, "--json"])).stdout);
    expect(await measured(one)).toMatchObject({ corpora: 1, documents: 12, ours: { questions: 1, mrr: 1 } });
    const both = await measured(lines, "--embedder", "none", "--limit", "20");
    expect(both).toMatchObject({ corpora: 2, documents: 24, ours: { recall10: 1 } });
    expect(Object.keys(both.ours.byKind).sort()).toEqual(["clock", "lamp"]);
    // Without a text channel nothing is found: the list says what counts.
    expect(await measured(one, "--channels", "recency")).toMatchObject({ ours: { recall10: 0 } });
    const wrong = await run(place, ["eval", "recall", one, "--channels", "plain,colour"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("colour")]);
    const unknown = await run(place, ["eval", "recall", one, "--embedder", "colour"]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("colour")]);
  });

  it("R61 other ids give the same figures", async () => {
    const [corpus] = corpora("long-chat.json");
    const other = (id: string) => `x${id.split(":").reverse().join("-")}`;
    const renamed = {
      ...corpus!,
      documents: corpus!.documents.map((d) => ({ ...d, id: other(d.id) })),
      questions: corpus!.questions.map((q) => ({ ...q, relevant: q.relevant.map(other) })),
    };
    const [a, b] = [await evaluate([corpus!]), await evaluate([renamed])];
    expect([b.ours.recall5, b.ours.recall10, b.ours.mrr]).toEqual([a.ours.recall5, a.ours.recall10, a.ours.mrr]);
  });

  it("R59 R60 prints a table and JSON, and leaves the user's store alone", async () => {
    const place = newPlace();
    await run(place, ["sessions"]);
    const before = treeOf(place.home);
    const file = join(folder, "assistant.json");
    const table = await run(place, ["eval", "recall", file, "--embedder", "none"]);
    expect(table.stdout).toMatch(/recall@10 +0\.\d+ +0\.\d+ +\d/);
    expect(table.stdout).toContain("ingest items/s");
    const json = JSON.parse((await run(place, ["eval", "recall", file, "--json", "--channels", "plain,stem"])).stdout);
    expect(json).toMatchObject({ ours: { questions: 25 }, skipped: 0, unreachable: 0 });
    expect(treeOf(place.home)).toEqual(before);
  });

  it("RB7 a broken line, an id twice, no questions: exit 1 and where; unknown ids are counted", async () => {
    const place = newPlace();
    mkdirSync(place.folder, { recursive: true });
    const file = join(place.folder, "x.jsonl");
    const document = { id: "a", text: "hello" };
    const good = JSON.stringify({
      documents: [document],
      questions: [
        { text: "hello", relevant: ["a", "gone"] },
        { text: "q", relevant: [] },
      ],
    });
    const evaluated = (content: string) => {
      writeFileSync(file, content);
      return run(place, ["eval", "recall", file, "--json"]);
    };
    const broken = await evaluated(`${good}\n{"documents": [\n`);
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining("line 2")]);
    const twice = await evaluated(`${good}\n${JSON.stringify({ documents: [document, document], questions: [] })}`);
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining("twice")]);
    expect((await evaluated(JSON.stringify({ documents: [document], questions: [] }))).code).toBe(1);
    const counted = await evaluated(good);
    expect(JSON.parse(counted.stdout)).toMatchObject({ skipped: 1, unreachable: 1 });
    expect((await run(place, ["eval", "recall", join(place.folder, "none.jsonl")])).code).toBe(1);
    expect((await run(place, ["eval", "weather", file])).code).toBe(2);
  });
});
