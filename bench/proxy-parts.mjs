// The other sides of the proxy's benchmark, each a process of its own: an upstream that answers at once, and a bare relay.
import { createServer } from "node:http";
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

const [, , part, origin] = process.argv;
const server = createServer({ keepAliveTimeout: 600_000 }, part === "relay" ? relay(origin) : upstream);
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on("end", () => process.exit()); // ends with whoever started it
