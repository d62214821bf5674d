// A model that says megabytes in its first answer, and how much memory a process took at most.
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const LINE = "some words that a model could say, line by line\n";
const PIECE = LINE.repeat(80);

export type LongAnswer = { url: string; close(): void };

/** `text`: so many bytes of prose. `arguments`: one call of `create` with a file of so many bytes. Later answers are short. */
export async function startLongAnswer(kind: "text" | "arguments", bytes: number): Promise<LongAnswer> {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => void answer(response, requests++ === 0 ? kind : "short", bytes));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

async function answer(response: ServerResponse, kind: "text" | "arguments" | "short", bytes: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const put = async (delta: object, finish: string | null = null): Promise<void> => {
    const data = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
    if (!response.write(`data: ${data}\n\n`)) await new Promise((resolve) => response.once("drain", resolve));
  };
  const args = (text: string, more: object = {}) =>
    put({
      tool_calls: [{ index: 0, ...more, function: { arguments: text, ...("id" in more ? { name: "create" } : {}) } }],
    });
  if (kind === "short") await put({ content: "done" });
  if (kind === "arguments") await args('{"path":"long.txt","file_text":"', { id: "c1", type: "function" });
  const escaped = PIECE.replaceAll("\n", "\\n");
  for (let sent = 0; kind !== "short" && sent < bytes; sent += PIECE.length)
    await (kind === "text" ? put({ content: PIECE }) : args(escaped));
  if (kind === "arguments") await args('"}');
  await put({}, kind === "arguments" ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}

/** Watches a process; gives its largest resident memory in MB, as the kernel counted it. */
export function watchMemory(child: ChildProcess): () => number {
  let most = 0;
  const look = () => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      clearInterval(timer); // it has ended
    }
  };
  const timer = setInterval(look, 50);
  child.once("exit", () => clearInterval(timer));
  return () => Math.round(most / 1024);
}
