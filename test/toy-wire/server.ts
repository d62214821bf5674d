// A scripted server that speaks the toy wire.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { ToyRecord } from "./provider.ts";

export type ToyItem = { by: string; words: Record<string, unknown>[] };
export type ToyRequest = {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: { engine: string; rules?: string; talk: ToyItem[]; helpers?: { name: string }[] };
};

/** The last record of an answer. */
export const END: ToyRecord = { end: "over", used: { in: 1200, out: 7 } };

export async function startToyServer(
  script: (request: ToyRequest) => ToyRecord[],
): Promise<{ url: string; requests: ToyRequest[] }> {
  const requests: ToyRequest[] = [];
  const server = createServer(async (req, res) => {
    const text = await readText(req);
    const request = { path: req.url ?? "", headers: req.headers, text, body: JSON.parse(text) as ToyRequest["body"] };
    requests.push(request);
    res.writeHead(200, { "content-type": "text/event-stream" });
    for (const record of script(request)) res.write(`data: ${JSON.stringify(record)}\n\n`);
    res.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
