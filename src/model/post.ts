// One POST whose answer is read as it comes, over node's own HTTP: its fetch would cost a start 40 ms and 15 MB.
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { errorCode } from "../base/failure.ts";
import { PlainHeaders } from "./plain-headers.ts";

export type PostAnswer = { status: number; headers: PlainHeaders; body: Readable };
type Post = { headers: PlainHeaders; body: string; signal: AbortSignal };

/** Ports of other protocols, which no browser sends HTTP to (fetch.spec.whatwg.org, port blocking). */
const BAD_PORTS = new Set(
  "1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
    .split(" ")
    .map(Number),
);

/**
 * Redirects are answers like any other. Rejects like `fetch`: a failure of the network is a TypeError with a cause, a
 * header that cannot be sent one without.
 */
export async function post(url: URL, { headers, body, signal }: Post): Promise<PostAnswer> {
  if (BAD_PORTS.has(Number(url.port))) throw networkError(new Error("bad port"));
  // An import would read all that the module offers, and with it load what is to be left alone.
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const bytes = Buffer.from(body);
  const own = { accept: "*/*", "accept-encoding": "gzip, deflate", "content-length": String(bytes.length) };
  const sent = { ...own, ...Object.fromEntries(headers) };
  for (let attempt = 1; ; attempt++) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const call = request(url, { method: "POST", headers: sent, signal });
    call.once("response", resolve).on("error", reject).end(bytes);
    try {
      const answer = await promise;
      return { status: answer.statusCode ?? 0, headers: headersOf(answer), body: decoded(answer) };
    } catch (error) {
      // The server had just closed a connection that was kept: nothing of the request was read.
      const isStale = call.reusedSocket && errorCode(error) === "ECONNRESET" && attempt === 1;
      if (!isStale || signal.aborted) throw networkError(error);
    }
  }
}

export const networkError = (cause: unknown): TypeError => new TypeError("fetch failed", { cause });

function headersOf({ rawHeaders }: IncomingMessage): PlainHeaders {
  const headers = new PlainHeaders();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}

/** What has come of it is given out at once, and a cut-off end is what it is: the stream's own end event tells. */
function decoded(answer: IncomingMessage): Readable {
  const encoding = answer.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  // Servers also write other words there, or none, and mean text as it is.
  if (!/^(x-)?gzip$|^deflate$|^br$/.test(encoding)) return answer;
  const { constants, createBrotliDecompress, createUnzip } = process.getBuiltinModule("node:zlib");
  const flush = constants.Z_SYNC_FLUSH;
  const decoder = encoding === "br" ? createBrotliDecompress() : createUnzip({ flush, finishFlush: flush });
  answer.on("error", (error) => decoder.destroy(error));
  decoder.on("close", () => answer.destroy());
  return answer.pipe(decoder);
}
