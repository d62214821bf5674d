// The engine as a process uses it: an embedder that fails costs nothing, one that works is found out and kept.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Database } from "../../store/sqlite.ts";
import type { EmbedderSettings } from "./embed/choose.ts";
import { Recall } from "./recall.ts";
import { conversation, EVERYTHING, openStore } from "./recall-fixture.ts";
import { noteOf } from "./store/note.ts";

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

type Ollama = { behaviour: "works" | "hangs" | "short"; calls: number; baseUrl: string };

/** Texts about dogs are near each other, all others as well. */
async function ollama(): Promise<Ollama> {
  const state: Ollama = { behaviour: "works", calls: 0, baseUrl: "" };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      state.calls++;
      if (request.url === "/api/tags") return void response.end(JSON.stringify({ models: [{ name: "m:latest" }] }));
      if (state.behaviour === "hangs") return;
      const { input } = JSON.parse(body) as { input: string[] };
      const vectors = input.map((text) => (/dog|puppy|spaniel/.test(text) ? [1, 0.1] : [0.1, 1]));
      response.end(JSON.stringify({ embeddings: state.behaviour === "short" ? vectors.slice(1) : vectors }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ended.push(() => server.close());
  ended.push(() => server.closeAllConnections());
  state.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

function store(): { db: Database; path: string } {
  const dir = mkdtempSync(join(tmpdir(), "everlong-engine-"));
  const path = join(dir, "store.db");
  const db = openStore(path);
  ended.push(() => rmSync(dir, { recursive: true }));
  ended.push(() => db.close());
  return { db, path };
}

function engine(at: { db: Database; path: string }, semantic?: EmbedderSettings): Recall {
  const recall = new Recall({ ...at, timeoutMs: 60_000, ...(semantic ? { semantic } : {}) });
  ended.push(() => recall.close());
  return recall;
}

const settings = (server: Ollama, more: Partial<EmbedderSettings> = {}): EmbedderSettings => ({
  ...{ embedder: "auto", staticDirs: [], mayCall: () => false, mayChoose: true },
  ollama: { baseUrl: server.baseUrl, model: "m" },
  ...more,
});

const texts = ["we got a spaniel last week", "congratulations", "the invoice is paid", "good"];
const found = async (recall: Recall, text: string) => {
  const answer = await recall.search({ text, within: EVERYTHING, signals: ["stem", "vector"] });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
};

it("RE5 R46 R49 an Ollama that hangs, errs and then works: words are found at once, meanings later, the choice is kept", async () => {
  const server = await ollama();
  const at = store();
  const recall = engine(at, settings(server));
  recall.writer.add(conversation(texts));
  server.behaviour = "hangs";
  const first = await found(recall, "spaniel");
  expect(first.results[0]?.id).toBe("s1-0");
  server.behaviour = "short";
  expect((await found(recall, "spaniel")).results[0]?.id).toBe("s1-0");
  server.behaviour = "works";
  await expect.poll(() => Number(at.db.prepare("SELECT count(*) AS n FROM recall_vector").get()?.["n"])).toBe(4);
  const later = await found(recall, "puppy");
  expect(later.results[0]).toMatchObject({ id: "s1-0" });
  expect(later.results[0]?.parts.vector).toBeGreaterThan(0);
  expect(noteOf(at.db, "embedder")).toBe("ollama");
  // What is written from now on waits for its vector, whoever writes it.
  at.db.exec("BEGIN");
  recall.writer.add(conversation(["the dog sleeps"], { session: "s2", level: "session" }));
  at.db.exec("COMMIT");
  recall.embedSoon();
  await expect.poll(() => Number(at.db.prepare("SELECT count(*) AS n FROM recall_vector").get()?.["n"])).toBe(5);
});

it("RE5 P30 without an embedder, or with an undecided store that may not choose, nobody is called", async () => {
  const server = await ollama();
  for (const semantic of [undefined, settings(server, { mayChoose: false })]) {
    const recall = engine(store(), semantic);
    recall.writer.add(conversation(texts));
    recall.embedSoon();
    expect((await found(recall, "spaniel")).results[0]?.id).toBe("s1-0");
  }
  expect(server.calls).toBe(0);
});

it("R29 starts its thread before it is asked, and ends it", async () => {
  const recall = engine(store());
  expect(await recall.start(20_000)).toBe(true);
  await recall.close();
  expect(await recall.start(100)).toBe(false);
});
