// For servers that must do what the SDK would not let them: JSON-RPC by hand on stdin and stdout.
import { createInterface } from "node:readline";

export type Message = { id?: number | string; method?: string; params?: Record<string, unknown> };
/** The result; undefined sends no answer at all. */
export type Handler = (message: Message) => unknown;

export const say = (message: unknown): void => {
  process.stdout.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
};

export const initialized = (capabilities: Record<string, unknown> = { tools: {} }) => ({
  protocolVersion: "2025-06-18",
  capabilities,
  serverInfo: { name: "raw", version: "1" },
});

export class Refusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Answers `ping` and the start of the protocol unless a handler is given for them. */
export function serveRaw(handlers: Record<string, Handler>, capabilities?: Record<string, unknown>): void {
  const all: Record<string, Handler> = { initialize: () => initialized(capabilities), ping: () => ({}), ...handlers };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line) as Message;
    const { id, method = "" } = message;
    try {
      const result = all[method]?.(message);
      if (id !== undefined && result !== undefined) say({ jsonrpc: "2.0", id, result });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say({ jsonrpc: "2.0", id, error: { code: error.code, message: error.message } });
    }
  });
}

export const object = { type: "object", properties: {} };
export const text = (words: string) => ({ content: [{ type: "text", text: words }] });
