// Drives a strict server with plain requests: what it refuses, and in which words.

import type { Json } from "../json.ts";
import { text } from "../reply.ts";
import { type ModelServer, startModelServer } from "../server.ts";

export type Planted = {
  server: ModelServer /** The violation, or undefined when the request is answered. */;
  refusal(body: Json): Promise<string | undefined>;
};

export async function plant(path: string): Promise<Planted> {
  const server = await startModelServer({ script: () => text("Fine.") });
  return {
    server,
    refusal: async (body) => {
      const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
      const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
      const answer = (await response.json()) as { error?: { message: string } };
      if (response.status === 200) return undefined;
      if (response.status !== 400 || server.rejected.at(-1)?.violation !== answer.error?.message) {
        throw new Error(`refused with ${response.status}: ${JSON.stringify(answer)}`);
      }
      return answer.error?.message;
    },
  };
}
