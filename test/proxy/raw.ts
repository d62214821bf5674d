// HTTP where bytes matter: an upstream that records raw headers and bodies, and a client that sends and keeps them as they are.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** Headers are raw: name and value by turns. */
export type Seen = { method: string; url: string; headers: string[]; body: Buffer };
export type RawUpstream = { url: string; seen: Seen[] };

/** Without `whole` the handler gets the request before its body has come. */
export async function startRawUpstream(
  handle: (seen: Seen, res: ServerResponse, req: IncomingMessage) => void,
  { whole = true } = {},
): Promise<RawUpstream> {
  const seen: Seen[] = [];
  const server = createServer({ keepAliveTimeout: 600_000 }, (req, res) => {
    const one: Seen = {
      method: req.method ?? "",
      url: req.url ?? "",
      headers: req.rawHeaders,
      body: Buffer.alloc(0),
    };
    res.sendDate = false;
    res.on("error", () => undefined);
    const start = (body: Buffer): void => {
      one.body = body;
      seen.push(one);
      handle(one, res, req);
    };
    // A client that leaves in the middle of its body is a test's own doing.
    if (whole) buffer(req).then(start, () => undefined);
    else start(one.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export type Headers = Record<string, string> | readonly string[];
export type Answer = {
  status: number;
  statusText: string;
  headers: string[];
  body: Buffer;
  /** `broken`: the connection ended before the answer did. */
  end: "clean" | "broken";
  header(name: string): string | undefined;
  json: Record<string, unknown>;
};

/** One call as a client of its own would make it; a connection that breaks before the head gives status 0. */
export function call(
  url: string,
  { method = "POST", headers = {}, body }: { method?: string; headers?: Headers; body?: Buffer | string } = {},
): Promise<Answer> {
  const flat = Array.isArray(headers) ? [...headers] : Object.entries(headers).flat();
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const { host } = new URL(url);
  const named = flat.some((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  const sized = flat.some((name, i) => i % 2 === 0 && /^(content-length|transfer-encoding)$/i.test(name));
  const own = [...(named ? [] : ["Host", host]), ...(bytes && !sized ? ["Content-Length", String(bytes.length)] : [])];
  const req = request(url, { method, agent: false, headers: [...own, ...flat] as never }, (res) => {
    const chunks: Buffer[] = [];
    const done = (end: "clean" | "broken") => () => resolve(answerOf(res, Buffer.concat(chunks), end));
    res.on("data", (chunk: Buffer) => chunks.push(chunk));
    res.on("end", done("clean")).on("error", done("broken")).on("aborted", done("broken"));
  });
  req.on("error", () => resolve(answerOf(undefined, Buffer.alloc(0), "broken")));
  req.end(bytes);
  return promise;
}

function answerOf(res: IncomingMessage | undefined, body: Buffer, end: Answer["end"]): Answer {
  const headers = res?.rawHeaders ?? [];
  return {
    status: res?.statusCode ?? 0,
    statusText: res?.statusMessage ?? "",
    headers,
    body,
    end,
    header: (name) => valuesOf(headers, name)[0],
    get json() {
      return JSON.parse(body.toString()) as Record<string, unknown>;
    },
  };
}

export const valuesOf = (raw: readonly string[], name: string): string[] =>
  raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === name);

/** Name and value pairs without those of a connection, and without ours when asked. */
export function endToEnd(raw: readonly string[], { ours = true } = {}): [string, string][] {
  const pairs = raw.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, raw[i + 1] ?? ""]] : []));
  return pairs.filter(
    ([name]) =>
      !/^(connection|keep-alive|transfer-encoding|host)$/i.test(name) && (ours || !/^x-everlong-/i.test(name)),
  );
}

/** Bytes as they are, what comes back until the other side closes. */
export function speak(url: string, bytes: string | Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(bytes));
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined).on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  return promise;
}
