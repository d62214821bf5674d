// Every embedder keeps the same promises; trouble with one never stops a search.

import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../../../base/clock.ts";
import { embeddedStore, runUnit } from "../../../store/embedded-store.ts";
import type { Database } from "../../../store/sqlite.ts";
import { WEIGHTS } from "../rank/weights.ts";
import { conversation, EVERYTHING, HOME, idsOf, openStore } from "../recall-fixture.ts";
import { search } from "../search.ts";
import { noteOf, setNote } from "../store/note.ts";
import { resolveScope } from "../store/scope.ts";
import { RecallWriter } from "../store/write.ts";
import { chooseEmbedder, type EmbedderSettings } from "./choose.ts";
import type { Embedder } from "./contract.ts";
import { QueryEmbedder } from "./query-vector.ts";
import { embedWaiting, lineUp } from "./queue.ts";
import { ollamaEmbedder, openaiEmbedder } from "./remote.ts";
import { VectorScan } from "./scan.ts";
import { staticEmbedder } from "./static.ts";
import { packVector, saveVector, unpackVector } from "./vectors.ts";

const never = new AbortController().signal;
const MEANINGS = [
  ["dog", "puppy", "hound", "canine"],
  ["car", "vehicle", "automobile"],
  ["rain", "weather", "storm"],
];
/** A vector by meaning: texts without a common word can be near. */
const meaning = (text: string): number[] => {
  const vector = [0.01, 0.01, 0.01, 0.01];
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? [])
    for (const [i, words] of MEANINGS.entries()) if (words.includes(word)) vector[i]! += 1;
  return vector;
};

type Behaviour = "works" | "hangs" | "500" | "400" | "nan" | "short" | "uneven" | "html";
const open: { close(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function fakeServer(behaviour: { now: Behaviour }) {
  const calls: { url: string; body: unknown; authorization: string | undefined }[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      if (request.url === "/api/tags")
        return void response.end(JSON.stringify({ models: [{ name: "embeddinggemma:latest" }] }));
      const body = JSON.parse(text) as { input: string[] };
      calls.push({ url: request.url ?? "", body, authorization: request.headers.authorization });
      if (behaviour.now === "hangs") return;
      if (behaviour.now === "500" || behaviour.now === "400")
        return void response.writeHead(Number(behaviour.now)).end("no");
      if (behaviour.now === "html") return void response.end("<html>");
      let vectors: (number | null)[][] = body.input.map(meaning);
      if (behaviour.now === "nan")
        vectors = vectors.map((v) => [null, ...v.slice(1)].map((x) => (x === null ? Number.NaN : x)) as number[]);
      if (behaviour.now === "short") vectors = vectors.slice(1);
      if (behaviour.now === "uneven") vectors = vectors.map((v) => [...v, 1]);
      const data = vectors.map((embedding, index) => ({ embedding, index })).reverse();
      response.end(JSON.stringify(request.url?.startsWith("/v1") ? { data } : { embeddings: vectors }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => server.closeAllConnections() }, { close: () => server.close() });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

function staticFolder(change: (files: Record<string, Buffer>) => void = () => {}): string {
  const words = MEANINGS.flat();
  const matrix = Buffer.from(Int8Array.from(words.flatMap((w) => meaning(w).map((x) => Math.round(x * 100)))).buffer);
  const files: Record<string, Buffer> = {
    "matrix.i8": matrix,
    "vocab.txt": Buffer.from(words.join("\n")),
    "scale.f32": Buffer.from(new Float32Array(words.length).fill(0.01).buffer),
    "manifest.json": Buffer.from(
      JSON.stringify({
        version: 1,
        name: "toy",
        dims: 4,
        rows: words.length,
        tokenizer: "words",
        lowercase: true,
        sha256: createHash("sha256").update(matrix).digest("hex"),
      }),
    ),
  };
  change(files);
  const dir = mkdtempSync(join(tmpdir(), "everlong-static-"));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(dir, name), bytes);
  return dir;
}

const save = (db: Database, ...args: Parameters<typeof saveVector>): void => runUnit(db, saveVector(...args));

describe("R45 conformance", () => {
  const made: Record<string, () => Promise<Embedder>> = {
    ollama: async () => ollamaEmbedder({ ...(await fakeServer({ now: "works" })), model: "embeddinggemma" }),
    openai: async () => openaiEmbedder({ ...(await fakeServer({ now: "works" })), model: "m", apiKey: "k" }),
    static: async () => {
      const found = staticEmbedder(staticFolder());
      if (!found.ok) throw new Error(found.error);
      return found.value;
    },
  };
  for (const [name, make] of Object.entries(made))
    it(`${name}: one unit vector a text, in order, equal texts alike, near meanings near`, async () => {
      const embedder = await make();
      const answer = await embedder.embed(["a puppy", "an automobile", "a dog", "a puppy"], never);
      if (!answer.ok) throw new Error(answer.error.message);
      const [puppy, car, dog, again] = answer.value;
      const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
      expect(again).toEqual(puppy);
      expect(cosine(puppy!, puppy!)).toBeCloseTo(1, 4);
      expect(cosine(puppy!, dog!)).toBeGreaterThan(0.9);
      expect(cosine(puppy!, car!)).toBeLessThan(0.5);
      expect(embedder.dims).toBe(4);
    });

  it("sends what each protocol asks for", async () => {
    const { baseUrl, calls } = await fakeServer({ now: "works" });
    await ollamaEmbedder({ baseUrl: `${baseUrl}/`, model: "nomic-embed-text" }).embed(["x"], never, "query");
    await openaiEmbedder({ baseUrl: `${baseUrl}/v1`, model: "m", apiKey: "k" }).embed(["x"], never);
    expect(calls).toEqual([
      { url: "/api/embed", body: { model: "nomic-embed-text", input: ["search_query: x"] }, authorization: undefined },
      { url: "/v1/embeddings", body: { model: "m", input: ["x"] }, authorization: "Bearer k" },
    ]);
  });

  it("RB5 bad answers are faults, not vectors", async () => {
    for (const [now, type] of [
      ["500", "unavailable"],
      ["400", "refused"],
      ["nan", "refused"],
      ["short", "refused"],
      ["html", "unavailable"],
    ] as const) {
      const { baseUrl } = await fakeServer({ now });
      const answer = await ollamaEmbedder({ baseUrl, model: "m" }).embed(["a dog", "b"], never);
      expect(answer.ok ? "ok" : answer.error.type, now).toBe(type);
    }
    const behaviour: { now: Behaviour } = { now: "works" };
    const embedder = ollamaEmbedder({ ...(await fakeServer(behaviour)), model: "m" });
    expect((await embedder.embed(["a dog"], never)).ok).toBe(true);
    behaviour.now = "uneven";
    expect((await embedder.embed(["a dog"], never)).ok).toBe(false);
  });

  it("a table of another size or hash is absent, and says why", async () => {
    const damaged = staticEmbedder(staticFolder((files) => (files["matrix.i8"]![0] = 99)));
    const answer = damaged.ok ? await damaged.value.embed(["dog"], never) : undefined;
    expect(answer?.ok === false && answer.error.message).toMatch(/hash/);
    expect(staticEmbedder("/nowhere").ok).toBe(false);
  });
});

describe("R46 choice", () => {
  const settings = (more: Partial<EmbedderSettings>): EmbedderSettings => ({
    embedder: "auto",
    ollama: { baseUrl: "http://127.0.0.1:1", model: "embeddinggemma" },
    staticDirs: [],
    mayCall: () => false,
    ...more,
  });

  it("auto takes Ollama when it has the model, else the table, else none; a kept choice stays", async () => {
    const { baseUrl } = await fakeServer({ now: "works" });
    const ollama = { baseUrl, model: "embeddinggemma" };
    expect((await chooseEmbedder(settings({ ollama }))).name).toBe("ollama");
    expect(
      (await chooseEmbedder(settings({ ollama: { baseUrl, model: "other" }, staticDirs: [staticFolder()] }))).name,
    ).toBe("static");
    expect((await chooseEmbedder(settings({}))).name).toBe("none");
    expect((await chooseEmbedder(settings({}), "ollama")).embedder?.id).toBe("ollama:embeddinggemma");
    const db = openStore();
    expect(noteOf(db, "embedder")).toBeUndefined();
    setNote(db, "embedder", "static");
    expect(noteOf(db, "embedder")).toBe("static");
  });

  it("asks before text goes to another machine", async () => {
    const openai = { baseUrl: "https://api.example.org", model: "m" };
    const refused = await chooseEmbedder(settings({ embedder: "openai", openai }));
    expect(refused.embedder).toBeUndefined();
    expect(refused.notes[0]).toMatch(/not this machine/);
    const agreed = await chooseEmbedder(
      settings({ embedder: "openai", openai, mayCall: (o) => o === "https://api.example.org" }),
    );
    expect(agreed.embedder?.id).toBe("openai:m@api.example.org");
    expect((await chooseEmbedder(settings({ ollama: { baseUrl: "http://10.0.0.9", model: "m" } }))).name).toBe("none");
  });
});

describe("R49 the line", () => {
  const texts = ["my puppy sleeps", "the automobile is red", "a storm is coming"];
  const filled = () => {
    const db = openStore();
    new RecallWriter(db, { embed: true }).add(conversation(texts));
    return db;
  };
  const fast: Clock = { now: () => "", monotonic: () => performance.now(), sleep: async () => !never.aborted };

  it("RE5 survives a server that fails, and then finds by meaning alone", async () => {
    const behaviour: { now: Behaviour } = { now: "500" };
    const embedder = ollamaEmbedder({ ...(await fakeServer(behaviour)), model: "m" });
    const db = filled();
    const troubles: string[] = [];
    let sleeps = 0;
    const clock: Clock = {
      ...fast,
      sleep: async () => {
        if (++sleeps === 3) behaviour.now = "works";
        return true;
      },
    };
    const stored = await embedWaiting(
      embeddedStore(db),
      { embedder, clock, onTrouble: (t) => troubles.push(t.code) },
      never,
    );
    expect([stored, sleeps, troubles]).toEqual([3, 3, ["unavailable"]]);
    const vector = await new QueryEmbedder(embedder).vectorOf("hound", never, 60_000);
    if (vector.type !== "vector") throw new Error(vector.reason);
    const request = { text: "hound", within: EVERYTHING, signals: ["vector", "plain", "stem"] as const };
    expect(idsOf(search(db, request))).toEqual([]);
    const found = search(db, { ...request, vector });
    expect(found.results[0]?.id).toBe("s1-0");
    expect(found.results[0]?.parts.vector).toBeCloseTo(0.6, 5);
  });

  it("parks a text that is refused three times and stores the others", async () => {
    const db = filled();
    const embedder: Embedder = {
      id: "picky",
      dims: 4,
      embed: async (batch) =>
        batch.some((t) => t.includes("storm"))
          ? { ok: false, error: { type: "refused", message: "bad weather" } }
          : { ok: true, value: batch.map((t) => Float32Array.from(meaning(t))) },
    };
    const parked: string[] = [];
    expect(
      await embedWaiting(embeddedStore(db), { embedder, clock: fast, onTrouble: (t) => parked.push(t.code) }, never),
    ).toBe(2);
    expect(parked).toEqual(["parked"]);
    expect(
      db
        .prepare("SELECT tries, error FROM recall_waiting")
        .all()
        .map((r) => ({ ...r })),
    ).toEqual([{ tries: 3, error: "bad weather" }]);
  });

  it("stops at once when told to", async () => {
    const stop = new AbortController();
    const embedder = ollamaEmbedder({ ...(await fakeServer({ now: "hangs" })), model: "m" });
    const running = embedWaiting(embeddedStore(filled()), { embedder }, stop.signal);
    stop.abort();
    expect(await running).toBe(0);
  });

  it("lines up what has no vector of this embedder", async () => {
    const db = openStore();
    new RecallWriter(db).add(conversation(texts));
    const waiting = async () => {
      expect((await lineUp(embeddedStore(db), "x", never)).ok).toBe(true);
      return db
        .prepare("SELECT passage FROM recall_waiting ORDER BY 1")
        .all()
        .map((r) => r["passage"]);
    };
    expect(await waiting()).toEqual([1, 2, 3]);
    db.exec("DELETE FROM recall_waiting");
    expect(await waiting()).toEqual([]);
    const hash = db.prepare("SELECT hash FROM recall_passage WHERE id = 1").get()?.["hash"] as Uint8Array;
    save(db, "x", { passage: 1, hash }, new Float32Array([1, 0, 0, 0]));
    setNote(db, "removed", "something was taken out");
    expect(await waiting()).toEqual([2, 3]);
  });
});

describe("R50 the query's vector", () => {
  it("RI7 is late after its limit, and after three failures nobody is asked for a minute", async () => {
    let calls = 0;
    const embed = () => {
      calls++;
      return new Promise<never>(() => {});
    };
    let time = 0;
    const clock: Clock = { now: () => "", monotonic: () => time, sleep: async () => true };
    const queries = new QueryEmbedder({ id: "hangs", dims: 2, embed }, clock);
    for (let i = 0; i < 5; i++) expect((await queries.vectorOf("dog", never, 30)).type).toBe("none");
    expect(calls).toBe(3);
    time = 60_001;
    await queries.vectorOf("dog", never, 30);
    expect(calls).toBe(4);
  });
});

describe("R51 vectors", () => {
  it("come back as they were, up to the byte", () => {
    const vector = Float32Array.from([0.5, -0.25, 0.8, 0.1]);
    expect(unpackVector(packVector(vector, "f32"))).toEqual(vector);
    for (const [i, x] of unpackVector(packVector(vector, "int8")).entries()) expect(x).toBeCloseTo(vector[i]!, 2);
  });

  const random = (n: number) =>
    Float32Array.from({ length: 64 }, (_, i) => Math.sin(n * 12.9898 + i * 78.233) * (1 + ((n * i) % 3)));

  it("the signs' choice agrees with the exact scan, sees new vectors, and stays in its scope", () => {
    const db = openStore();
    const place = (n: number) => ({ ...HOME, session: `s${n % 2}` });
    const items = Array.from({ length: 400 }, (_, n) => ({
      ...conversation([`text ${n}`])[0]!,
      id: `i${n}`,
      turn: n,
      place: place(n),
    }));
    new RecallWriter(db).add(items);
    const rows = db.prepare("SELECT id AS passage, hash FROM recall_passage ORDER BY id").all() as {
      passage: number;
      hash: Uint8Array;
    }[];
    for (const row of rows.slice(0, 300)) save(db, "e", row, random(row.passage));
    const scope = runUnit(db, resolveScope({ scopes: [{ type: "session", session: "s1" }] }))!;
    const scan = new VectorScan();
    const top = (exactUpTo: number) =>
      runUnit(db, scan.nearest(random(10_001), { embedder: "e", scope, exactUpTo })).top;
    const exact = top(50_000);
    expect(exact.every((id) => (id - 1) % 2 === 1)).toBe(true);
    expect(top(0).slice(0, 10)).toEqual(exact.slice(0, 10));
    for (const row of rows.slice(300)) save(db, "e", row, row.passage === 400 ? random(10_001) : random(row.passage));
    expect(top(50_000)[0]).toBe(400);
    expect(top(0)[0]).toBe(400);
    expect(runUnit(db, scan.nearest(random(1), { embedder: "other", scope })).top).toEqual([]);
  });

  it("R7 equal texts share one vector, each found in its own scope", async () => {
    const db = openStore();
    const writer = new RecallWriter(db, { embed: true });
    for (const session of ["s1", "s2"]) writer.add(conversation(["my puppy sleeps"], { ...HOME, session }));
    const embedded: string[] = [];
    const embedder: Embedder = {
      id: "e",
      dims: 4,
      embed: async (batch) => {
        embedded.push(...batch);
        return { ok: true, value: batch.map((text) => Float32Array.from(meaning(text))) };
      },
    };
    await embedWaiting(embeddedStore(db), { embedder }, never);
    expect(db.prepare("SELECT count(*) AS n FROM recall_vector").get()?.["n"]).toBe(1);
    const vector = { embedder: "e", values: Float32Array.from(meaning("hound")) };
    for (const session of ["s1", "s2"]) {
      const within = { scopes: [{ type: "session", session }] } as const;
      expect(idsOf(search(db, { text: "hound", within, vector }))).toEqual([`${session}-0`]);
    }
  });

  it("R16 R17 the nearest meaning gets the whole weight of vectors, others their share by cosine", () => {
    const db = openStore();
    new RecallWriter(db).add(
      ["first", "second", "third"].map((text, n) => ({
        ...conversation([text])[0]!,
        id: text,
        place: { ...HOME, session: `s${n}` },
      })),
    );
    const rows = db.prepare("SELECT id AS passage, hash FROM recall_passage ORDER BY id").all() as {
      passage: number;
      hash: Uint8Array;
    }[];
    const vectors = [
      [1, 0],
      [0.8, 0.6],
      [0.6, 0.8],
    ];
    for (const [i, row] of rows.entries()) save(db, "e", row, Float32Array.from(vectors[i]!), "f32");
    const vector = { embedder: "e", values: Float32Array.from([1, 0]) };
    const { results } = search(db, { text: "unheard", within: EVERYTHING, vector, signals: ["vector"] });
    expect(results.map((r) => [r.id, r.parts.vector / WEIGHTS.vector])).toEqual([
      ["first", expect.closeTo(1, 2)],
      ["second", expect.closeTo(0.8, 2)],
      ["third", expect.closeTo(0.6, 2)],
    ]);
  });

  it("go with their passage", () => {
    const db = openStore();
    const writer = new RecallWriter(db);
    writer.add(conversation(["secret words"]));
    const hash = db.prepare("SELECT hash FROM recall_passage").get()?.["hash"] as Uint8Array;
    save(db, "e", { passage: 1, hash }, random(1));
    writer.remove(["s1-0"]);
    expect(db.prepare("SELECT count(*) AS n FROM recall_vector").get()?.["n"]).toBe(0);
  });
});
