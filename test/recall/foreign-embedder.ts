// An embedder on another machine, as far as the program can tell.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/**
 * An embedder that counts connections, not only requests. Its address is 0.0.0.0: the program takes only localhost,
 * 127.* and ::1 for this machine, so that this one is foreign to it, while the kernel brings the bytes here.
 */
export async function foreignEmbedder() {
  let connections = 0;
  const inputs: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      const { input = [] } = JSON.parse(body || "{}") as { input?: string[] };
      inputs.push(...input);
      const data = input.map((_, index) => ({ index, embedding: [1, index + 1] }));
      response.end(JSON.stringify({ embeddings: data.map((d) => d.embedding), data }));
    });
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://0.0.0.0:${(server.address() as AddressInfo).port}`;
  return { origin, inputs, connections: () => connections };
}
