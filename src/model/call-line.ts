// One HTTP exchange under watch: silence ends it, redirects are not followed, and what is no stream never reaches the SDK.

import type { Readable } from "node:stream";
import { requestHeaders } from "./call-headers.ts";
import type { ModelRequest, ModelTarget } from "./contract.ts";
import { networkError, type PostAnswer, post } from "./post.ts";

const ERROR_BODY = 65_536;
const HEAD = 2000;

/** An HTTP answer other than success. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  constructor({ status, headers }: PostAnswer, body: string) {
    super(`HTTP ${status}`);
    this.status = status;
    this.headers = Object.fromEntries(headers);
    this.body = body;
  }
}

export type Line = {
  fetch: typeof globalThis.fetch;
  /** Aborted by the caller, by silence, and by `close`. */
  signal: AbortSignal;
  /** Why the exchange was ended from our side. */
  stopped: Promise<"aborted" | "idle">;
  /** The first characters of a stream that began; undefined before. */
  head: () => string | undefined;
  close: () => void;
};

export function openLine(
  target: ModelTarget,
  request: ModelRequest,
  options: { signal: AbortSignal; idleMs: number },
): Line {
  const own = new AbortController();
  const stop = Promise.withResolvers<"aborted" | "idle">();
  const onAbort = (): void => end("aborted");
  let timer: NodeJS.Timeout | undefined;
  let head: string | undefined;

  function end(why: "aborted" | "idle"): void {
    stop.resolve(why);
    close();
  }
  function close(): void {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", onAbort);
    own.abort();
  }
  /** Any byte counts as a sign of life, keep-alive comments too. */
  function alive(): void {
    clearTimeout(timer);
    if (!own.signal.aborted) timer = setTimeout(() => end("idle"), options.idleMs);
  }

  async function fetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    alive();
    const headers = requestHeaders(init.headers, target, request);
    const address = new URL(typeof url === "string" || url instanceof URL ? url : url.url);
    const answer = await post(address, { headers, body: wellFormed(init.body), signal: own.signal });
    alive();
    const type = answer.headers.get("content-type");
    const isStream = answer.status >= 200 && answer.status < 300 && (type === null || /event-stream/i.test(type));
    if (!isStream) throw new HttpRefusal(answer, await readHead(answer));
    head = "";
    const decoder = new TextDecoder();
    const body = streamOf(answer.body, (chunk) => {
      alive();
      if (head !== undefined && head.length < HEAD) head += decoder.decode(chunk, { stream: true });
    });
    // What providers read of an answer; the class itself would load all of node's fetch.
    const text = async (): Promise<string> => (await import("node:stream/consumers")).text(body);
    const { status, headers: received } = answer;
    return { ok: true, status, statusText: "", headers: received, body, text } as unknown as Response;
  }

  if (options.signal.aborted) onAbort();
  else options.signal.addEventListener("abort", onAbort, { once: true });
  return { fetch, signal: own.signal, stopped: stop.promise, head: () => head, close };
}

/** Half a surrogate pair, which JSON.stringify writes as an escape, makes providers refuse the whole body. */
function wellFormed(body: RequestInit["body"]): string {
  if (typeof body !== "string") throw new TypeError("the SDK sends texts");
  if (!body.includes("\\ud")) return body;
  return body.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\ufffd");
}

/** `see` is told of each chunk before it goes on. What is not read stops the server, not our memory. */
function streamOf(body: Readable, see: (chunk: Uint8Array) => void): ReadableStream<Uint8Array> {
  let isCancelled = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      body.on("data", (chunk: Uint8Array) => {
        if (isCancelled) return;
        see(chunk);
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) body.pause();
      });
      body.once("end", () => isCancelled || controller.close());
      body.on("error", (error) => controller.error(networkError(error)));
    },
    pull: () => void body.resume(),
    cancel() {
      isCancelled = true;
      body.destroy();
    },
  });
}

async function readHead({ body }: PostAnswer): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= ERROR_BODY) break;
    }
  } catch {
    // Cut short: the status and what has arrived still tell what happened.
  }
  return text;
}
