// MCP over the pipes of an owned child process: it dies with us, and its output is bounded.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { parseJson } from "../../base/json.ts";
import { LineSplitter, type RawLine } from "../../base/json-line.ts";
import { clip } from "../../base/text.ts";
import type { OwnedProcess, Owner, ProcessEnd } from "../../host/process.ts";
import type { StdioLine } from "../config/server-config.ts";
import type { ServerLog } from "../server-log.ts";

/** The longest message that is taken; tool results above the output bound are cut later, this only saves the machine. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Lines that are no messages, before we stop looking at what is perhaps no MCP server at all. */
const MAX_GARBAGE_LINES = 10_000;
/** How long a server may take to end by itself once its stdin is closed. */
const LEAVE_MS = 500;
const KILL_GRACE_MS = 1500;
const DRAIN_MS = 200;

type StdioParts = { owner: Owner; env: Record<string, string>; cwd: string; log: ServerLog };

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why it is over, unless we ended it. */
  reason?: string;
  readonly #line: StdioLine;
  readonly #parts: StdioParts;
  readonly #splitter = new LineSplitter({ maxLine: MAX_MESSAGE_BYTES });
  #child: OwnedProcess | undefined;
  #closing: Promise<void> | undefined;
  #garbage = 0;
  /** Bytes since the last line end. */
  #openBytes = 0;

  constructor(line: StdioLine, parts: StdioParts) {
    this.#line = line;
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { owner, env, cwd, log } = this.#parts;
    const { command, args } = this.#line;
    const child = owner.spawn({ command, args, cwd, env, stdin: "pipe" });
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.on("data", (chunk: Buffer) => log.append(chunk));
    // What it wrote last is read first; whoever else holds its output is not waited for.
    const drained = child.exit.then((end) => Promise.race([child.closed, wait(DRAIN_MS)]).then(() => end));
    void drained.then((end) => this.#over(endText(end)));
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (this.#closing || !stdin?.writable) return Promise.reject(new Error(this.reason ?? "it was stopped"));
    return new Promise((resolve, reject) =>
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve())),
    );
  }

  close(): Promise<void> {
    return this.#over();
  }

  #over(reason?: string): Promise<void> {
    this.#closing ??= this.#end(reason);
    return this.#closing;
  }

  async #end(reason: string | undefined): Promise<void> {
    if (reason !== undefined) this.reason = reason;
    const child = this.#child;
    // Those who wait for an answer are told at once; the process may take its time.
    this.onclose?.();
    if (!child) return;
    child.stdin?.end();
    await Promise.race([child.closed, wait(LEAVE_MS)]);
    await child.kill(KILL_GRACE_MS);
  }

  #read(chunk: Buffer): void {
    const lineEnd = chunk.lastIndexOf(10);
    this.#openBytes = lineEnd === -1 ? this.#openBytes + chunk.length : chunk.length - lineEnd - 1;
    if (this.#openBytes > MAX_MESSAGE_BYTES) return this.#tooLong(this.#openBytes);
    for (const line of this.#splitter.push(chunk)) {
      if (this.#closing) return;
      this.#take(line);
    }
  }

  #tooLong(bytes: number): void {
    void this.#over(`it sent a message of ${bytes} bytes; the limit is ${MAX_MESSAGE_BYTES}`);
  }

  #take({ bytes, length }: RawLine): void {
    if (length > MAX_MESSAGE_BYTES) return this.#tooLong(length);
    const text = bytes.toString("utf8").trim();
    if (text === "") return;
    const parsed = parseJson(text);
    const message = parsed.ok ? JSONRPCMessageSchema.safeParse(parsed.value) : undefined;
    if (message?.success) return this.onmessage?.(message.data);
    this.#garbage++;
    if (this.#garbage <= 5) this.#parts.log.note(`stdout is not MCP: ${clip(text, 200)}`);
    if (this.#garbage > MAX_GARBAGE_LINES)
      void this.#over(`it wrote ${this.#garbage} lines to stdout that are not MCP messages`);
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

function endText({ code, signal, error }: ProcessEnd): string {
  if (error !== undefined) return `it could not be started: ${error}`;
  if (code === 127) return "its command was not found";
  return signal ? `it was ended by ${signal}` : `it exited with code ${code}`;
}
