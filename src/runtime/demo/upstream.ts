// A provider for the demo: answers every request at once, with the figures that a provider reports; nothing leaves the machine.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ANSWER } from "./story.ts";

type Json = Record<string, unknown>;

/** Most of a prompt is read from the cache, as with a real provider. */
const figures = (bytes: number) => {
  const input = Math.round(bytes / 4);
  return { input, cached: Math.round(input * 0.8), output: 24 };
};

function answerTo(path: string, bytes: number): Json {
  const { input, cached, output } = figures(bytes);
  if (path.includes("generateContent"))
    return {
      candidates: [{ content: { role: "model", parts: [{ text: ANSWER }] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: input, cachedContentTokenCount: cached, candidatesTokenCount: output },
    };
  if (path.includes("/responses"))
    return {
      ...{ id: `resp_${bytes}`, object: "response", status: "completed", model: "demo-model" },
      output: [
        {
          type: "message",
          id: "m",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: ANSWER, annotations: [] }],
        },
      ],
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        total_tokens: input + output,
      },
    };
  return {
    ...{ id: `msg_${bytes}`, type: "message", role: "assistant", model: "demo-model", stop_reason: "end_turn" },
    content: [{ type: "text", text: ANSWER }],
    usage: { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: output },
  };
}

export async function startDemoUpstream(): Promise<{ url: string; close(): void }> {
  const server: Server = createServer((req, res) => {
    let bytes = 0;
    req.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    req.on("end", () => {
      res.writeHead(200, { "content-type": "application/json" });
      res.end(JSON.stringify(answerTo(req.url ?? "", bytes)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
