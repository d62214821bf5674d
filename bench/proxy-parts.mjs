// The other sides of benchmarks, each a process of its own: an upstream that answers at once, a bare relay, one insert a request.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";

const ANSWER = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "bench",
  choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
});
const FIRST_MS = 200;
const CHUNKS = 10;
const CHUNK_MS = 50;
const event = (delta, finish = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

async function stream(response) {
  await sleep(FIRST_MS);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let n = 0; n < CHUNKS; n++) {
    response.write(event({ content: "word " }));
    await sleep(CHUNK_MS);
  }
  response.end(`${event({}, "stop")}data: [DONE]\n\n`);
}

const upstream = (request, response) => {
  request.resume();
  request.on("end", async () => {
    if (request.headers["x-bench-stream"]) return stream(response);
    if (request.headers["x-bench-wait"]) await sleep(Number(request.headers["x-bench-wait"]));
    response.writeHead(200, { "content-type": "application/json", "content-length": ANSWER.length }).end(ANSWER);
  });
};

const relay = (origin) => {
  const pool = new Pool(origin);
  return async (request, response) => {
    const { host: _, connection: _c, "transfer-encoding": _t, ...headers } = request.headers;
    const answer = await pool.request({ path: request.url, method: request.method, headers, body: request });
    const { connection: _a, "keep-alive": _k, "transfer-encoding": _e, ...own } = answer.headers;
    response.writeHead(answer.statusCode, own);
    await pipeline(answer.body, response);
  };
};

/** A body becomes rows of one table, a transaction a request. */
const insert = () => {
  const folder = mkdtempSync(join(tmpdir(), "everlong-bench-insert-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  process.on("SIGTERM", () => process.exit());
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const db = new DatabaseSync(join(folder, "rows.db"));
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE row (group_id TEXT, text TEXT)");
  const put = db.prepare("INSERT INTO row VALUES (?, ?)");
  return async (request, response) => {
    const { group_id: group, messages } = await json(request);
    db.exec("BEGIN IMMEDIATE");
    for (const message of messages) put.run(group, message.content);
    db.exec("COMMIT");
    response.writeHead(202, { "content-type": "application/json" }).end("{}");
  };
};

const [, , part, origin] = process.argv;
const answers = { relay: () => relay(origin), insert, upstream: () => upstream };
const server = createServer({ keepAliveTimeout: 600_000 }, answers[part]());
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on("end", () => process.exit()); // ends with whoever started it
