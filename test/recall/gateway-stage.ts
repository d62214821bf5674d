// A gateway before a scripted model, with a conversation of another agent and the home's own agent, and questions to its recall.
import { onTestFinished } from "vitest";
import { until } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { newClient } from "../proxy/client.ts";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";

export type Json = Record<string, unknown>;
export type Hit = { id: string; ref: string; source: { session: string }; snippets: { text: string }[] };

export const SMALL = {
  EVERLONG_PROXY_WINDOWS: "*: 20000",
  CLIPROXY_RESERVE_TOKENS: "2000",
  EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000",
  EVERLONG_RECALL_TIMEOUT_MS: "20000",
};
export const LONG = "alpha beta gamma delta ".repeat(260).trim();

export async function stage(env: Record<string, string> = {}): Promise<[TestGateway, ModelServer]> {
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  const agent = {
    EVERLONG_BASE_URL: server.url,
    EVERLONG_MODEL: "scripted",
    EVERLONG_API_KEY: "test-key-0123456789",
  };
  return [await startGateway(server, { env: { ...SMALL, ...agent, ...env } }), server];
}

/** A prompt, a tool's long result with a word of its own, an answer. */
export async function converse(gateway: TestGateway, server: ModelServer, session: string, turns: number) {
  const client = newClient(gateway, server, "openai-chat", { "x-everlong-session": session });
  for (let n = 0; n < turns; n++) {
    server.script(calls([{ name: "read", args: { path: `src/part-${n}.ts` } }]));
    await client.say(`Read part ${n}.`);
    await client.results(`the port of zebra${n} is ${7000 + n}\n${LONG}`);
  }
  return client;
}

export const post = async (gateway: TestGateway, body: Json): Promise<[number, Json]> => {
  const headers = { "content-type": "application/json" };
  const answer = await gateway.api("/api/recall", { method: "POST", headers, body: JSON.stringify(body) });
  return [answer.status, (await answer.json()) as Json];
};
export const get = async (gateway: TestGateway, path: string): Promise<[number, Json]> => {
  const answer = await gateway.api(`/api/recall${path}`);
  return [answer.status, (await answer.json()) as Json];
};
export const found = async (gateway: TestGateway, body: Json): Promise<Hit[]> =>
  (await post(gateway, body))[1]["results"] as Hit[];

/** What was stored after the request, not before it. */
export const stored = (gateway: TestGateway, query: string): Promise<Hit> =>
  until(query, async () => (await found(gateway, { query, scope: "all" }))[0]);
