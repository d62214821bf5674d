// MCP over streamable HTTP: the SDK's transport with bounded answers, and a stream that dies is an error at once, not a time-out.
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { within } from "../../base/abort.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import type { RemoteLine } from "../config/server-config.ts";
import { boundedBody } from "./bounded-body.ts";

/** How long what a stream held may take to be read after its end. */
const READ_MS = 100;
const GOODBYE_MS = 1000;

type RequestId = string | number;

export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why it is over, unless we ended it. */
  reason?: string;
  readonly #inner: StreamableHTTPClientTransport;
  /** Requests without an answer, each with what ends its HTTP exchange. */
  readonly #waiting = new Map<RequestId, AbortController>();
  #isClosed = false;

  constructor({ url, headers }: RemoteLine) {
    this.#inner = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: this.#fetch });
    this.#inner.onmessage = (message) => {
      if (!("method" in message) && message.id !== undefined) this.#waiting.delete(message.id);
      this.onmessage?.(message);
    };
    this.#inner.onerror = (error) => this.onerror?.(error);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error(this.reason ?? "it was closed");
    const id = "method" in message && "id" in message ? message.id : undefined;
    if (id !== undefined) this.#waiting.set(id, new AbortController());
    try {
      await this.#inner.send(message);
    } catch (error) {
      if (id !== undefined) this.#waiting.delete(id);
      // A session that the server no longer knows can only be opened anew.
      if (error instanceof StreamableHTTPError && error.code === 404 && this.#inner.sessionId !== undefined)
        void this.#over("the server no longer knows the session");
      throw error;
    } finally {
      this.#dropCancelled(message);
    }
  }

  close(): Promise<void> {
    return this.#over();
  }

  async #over(reason?: string): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (reason !== undefined) this.reason = reason;
    this.onclose?.();
    // Politeness only: a server that is gone need not be told.
    const goodbye = this.#inner.terminateSession().catch((error: unknown) => this.onerror?.(error as Error));
    await within(goodbye, GOODBYE_MS);
    for (const exchange of this.#waiting.values()) exchange.abort();
    this.#waiting.clear();
    await this.#inner.close();
  }

  /** The SDK lets the exchange of a cancelled request go on. */
  #dropCancelled(message: JSONRPCMessage): void {
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const id = message.params?.["requestId"] as RequestId;
    this.#waiting.get(id)?.abort();
    this.#waiting.delete(id);
  }

  readonly #fetch: FetchLike = async (url, init) => {
    const id = init?.method === "POST" ? requestId(init.body) : undefined;
    const exchange = id === undefined ? undefined : this.#waiting.get(id);
    const signals = [init?.signal, exchange?.signal].filter((signal) => signal !== undefined && signal !== null);
    const response = await fetch(url, { ...init, ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}) });
    return boundedBody(response, (end) => {
      if (id !== undefined && !end.resumable) setTimeout(() => this.#unanswered(id, end.problem), READ_MS).unref();
    });
  };

  #unanswered(id: RequestId, problem: string | undefined): void {
    if (!this.#waiting.delete(id)) return;
    const message = problem ?? "the stream ended without an answer";
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: ErrorCode.ConnectionClosed, message } });
  }
}

function requestId(body: unknown): RequestId | undefined {
  const parsed = typeof body === "string" ? parseJson(body) : { ok: false as const };
  if (!parsed.ok || !isRecord(parsed.value) || !("method" in parsed.value)) return undefined;
  const { id } = parsed.value;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
