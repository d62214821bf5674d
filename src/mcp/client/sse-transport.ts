// The older HTTP transport, with one stream of events: kept for servers that have nothing newer.
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import type { RemoteLine } from "../config/server-config.ts";
import { boundedBody } from "./bounded-body.ts";

export function sseTransport({ url, headers }: RemoteLine): SSEClientTransport {
  return new SSEClientTransport(new URL(url), {
    requestInit: { headers },
    // The end of this stream is seen by the SDK, which opens it anew.
    fetch: async (address, init) => boundedBody(await fetch(address, init), () => undefined),
  });
}
