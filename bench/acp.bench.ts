// Editors: initialise after a start, how late an update is, and how long a cancel takes.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { alternate, print, timed } from "./measure.ts";

const bin = join(process.cwd(), "bin", "everlong.js");
const PIECES = 60;
const PIECE_MS = 30;
const ROUNDS = 9;

type Message = {
  id?: number;
  method?: string;
  result?: { sessionId: string };
  params?: { update?: { sessionUpdate: string; content?: { text?: string } } };
};

const piece = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** Each piece says when it was written. */
async function stream(response: ServerResponse): Promise<void> {
  for (let n = 0; n < PIECES; n++) {
    response.write(piece({ content: `${Date.now()} ` }));
    await wait(PIECE_MS);
  }
  response.end(`${piece({}, "stop")}data: [DONE]\n\n`);
}

const CALL = { id: "c1", index: 0, type: "function", function: { name: "bash", arguments: '{"command":"sleep 600"}' } };

class Face {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #next = 1;

  constructor(env: Record<string, string>, onUpdate: (update: Message) => void = () => undefined) {
    this.#child = spawn(process.execPath, [bin, "acp"], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, ...env },
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      if (message.method === "session/update") onUpdate(message);
      else if (message.method === undefined) this.#waiting.get(message.id ?? -1)?.(message);
    });
  }

  request(method: string, params: object): Promise<Message> {
    const id = this.#next++;
    this.#write({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  notify = (method: string, params: object): void => this.#write({ method, params });

  async end(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stdin.end();
    await closed;
  }

  #write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

const initialise = (face: Face) => face.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
const at = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

export async function bench(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  let runs = false;
  let called: () => void = () => undefined;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (!runs) return void stream(response);
      response.end(`${piece({ tool_calls: [CALL] })}${piece({}, "tool_calls")}data: [DONE]\n\n`);
      called();
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const env = {
    EVERLONG_HOME: home,
    EVERLONG_BASE_URL: `http://127.0.0.1:${port}`,
    EVERLONG_MODEL: "m",
    EVERLONG_API_KEY: "k",
    EVERLONG_ALLOW_ALL: "1",
  };
  const first = async () => {
    const face = new Face(env);
    const ms = await timed(() => initialise(face));
    await face.end();
    return ms;
  };
  await first(); // warm the compile cache
  const empty = () =>
    timed(
      () => new Promise((resolve) => spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }).on("close", resolve)),
    );
  print("initialise answered after start", await alternate(ROUNDS, empty, first), "300 ms");

  const late: number[] = [];
  const face = new Face(env, ({ params }) => {
    const { update } = params ?? {};
    if (update?.sessionUpdate !== "agent_message_chunk") return;
    for (const written of update.content?.text?.trim().split(" ") ?? []) late.push(Date.now() - Number(written));
  });
  await initialise(face);
  const open = await face.request("session/new", { cwd: process.cwd(), mcpServers: [] });
  const sessionId = open.result?.sessionId ?? "";
  const ask = () => face.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
  await ask();
  console.log(
    `an update after the model wrote it: median ${at(late, 0.5)} ms, 95 % within ${at(late, 0.95)} ms, ${late.length} pieces (target 50 ms)`,
  );

  runs = true;
  const cancels: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const begun = new Promise<void>((resolve) => {
      called = resolve;
    });
    const answer = ask();
    await begun;
    await wait(500);
    face.notify("session/cancel", { sessionId });
    cancels.push(await timed(() => answer));
  }
  console.log(
    `cancel of a running command: median ${at(cancels, 0.5).toFixed(0)} ms, most ${at(cancels, 1).toFixed(0)} ms (target 1000 ms)`,
  );
  await face.end();
  server.close();
  // What a session started at its end may still be writing there.
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
