// An embedder that knows a few meanings: texts about the same thing have the same direction, whatever their words.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** Each row is one meaning, told in different words. */
const MEANINGS = [
  ["automobile", "brakes", "vehicle", "slowing down"],
  ["invoice", "accountant", "bill", "bookkeeping"],
  ["penguin", "iceberg", "antarctic", "seabird"],
];
const DIMS = 32;

export type FakeOllama = {
  url: string;
  /** Texts that were embedded, passages and queries. */
  texts: string[];
  connections: number;
  mode: "well" | "hanging" | "html" | "wrong-size";
};

export async function startOllama(host = "127.0.0.1"): Promise<FakeOllama> {
  const ollama: FakeOllama = { url: "", texts: [], connections: 0, mode: "well" };
  const server = createServer(async (req, res) => {
    const body = await readText(req);
    if (req.url === "/api/tags") return json(res, { models: [{ name: "embeddinggemma:latest" }] });
    if (req.url !== "/api/embed") return void res.writeHead(404).end();
    const { input } = JSON.parse(body) as { input: string[] };
    ollama.texts.push(...input);
    if (ollama.mode === "hanging") return;
    if (ollama.mode === "html") return void res.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>");
    const vectors = input.map(vectorOf);
    json(res, { embeddings: ollama.mode === "well" ? vectors : vectors.map((v) => v.slice(1)) });
  });
  server.on("connection", () => {
    ollama.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  ollama.url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return ollama;
}

function json(res: ServerResponse, value: object): void {
  res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** What is about nothing known points anywhere. */
function vectorOf(text: string): number[] {
  const lower = text.toLowerCase();
  const meaning = MEANINGS.findIndex((words) => words.some((word) => lower.includes(word)));
  const vector = Array.from({ length: DIMS }, (_, n) => Math.sin((n + 3) * (lower.length % 17) + n) * 0.2);
  if (meaning >= 0) vector[meaning] = 2;
  return vector;
}
