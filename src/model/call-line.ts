// One HTTP exchange under watch: silence ends it, redirects are not followed, and what is no stream never reaches the SDK.

import { requestHeaders } from "./call-headers.ts";
import type { ModelRequest, ModelTarget } from "./contract.ts";

const ERROR_BODY = 65_536;
const HEAD = 2000;

/** An HTTP answer other than success. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  constructor(response: Response, body: string) {
    super(`HTTP ${response.status}`);
    this.status = response.status;
    this.headers = Object.fromEntries(response.headers);
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
    const response = await globalThis.fetch(url, { ...init, headers, body: wellFormed(init.body), redirect: "manual" });
    alive();
    if (!response.ok) throw new HttpRefusal(response, await readHead(response));
    const type = response.headers.get("content-type");
    if (!response.body || (type !== null && !/event-stream/i.test(type)))
      throw new HttpRefusal(response, await readHead(response));
    head = "";
    const decoder = new TextDecoder();
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        alive();
        if (head !== undefined && head.length < HEAD) head += decoder.decode(chunk, { stream: true });
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(watched), { status: response.status, headers: response.headers });
  }

  if (options.signal.aborted) onAbort();
  else options.signal.addEventListener("abort", onAbort, { once: true });
  return { fetch, signal: own.signal, stopped: stop.promise, head: () => head, close };
}

/** Half a surrogate pair, which JSON.stringify writes as an escape, makes providers refuse the whole body. */
function wellFormed(body: RequestInit["body"]): NonNullable<RequestInit["body"]> | null {
  if (typeof body !== "string" || !body.includes("\\ud")) return body ?? null;
  return body.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\ufffd");
}

async function readHead(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= ERROR_BODY) break;
    }
  } catch {
    // Cut short: the status and what has arrived still tell what happened.
  }
  return text;
}
