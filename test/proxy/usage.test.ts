// X93: the usage a client reads is the provider's, of the request that was sent: a client that compacts by it has no reason to.
import { expect, it, onTestFinished } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { tokens } from "../model-server/wire/wire.ts";
import { filler } from "./filler.ts";
import { openInProcess } from "./in-process.ts";
import { chat, claude, codex, type Dialect, gemini, OPENCODE, ScriptedClient } from "./scripted-client.ts";

const WINDOW = 12_000;
/** Of 8,000 characters each: more than twice the window. */
const PROMPTS = 14;

const dialects: readonly [string, Dialect, RegExp][] = [
  ["chat", chat({ headers: OPENCODE }), /"prompt_tokens":(\d+)/],
  ["responses", codex(), /"input_tokens":(\d+)/],
  ["anthropic", claude(), /"input_tokens":(\d+)/],
  ["gemini", gemini(), /"promptTokenCount":(\d+)/],
];

it.each(dialects)("X93 %s: the usage that comes back is that of the trimmed request", async (_name, dialect, count) => {
  const server = await startModelServer({ script: () => text("Understood.") });
  const env = { EVERLONG_PROXY_WINDOWS: `*: ${WINDOW}`, CLIPROXY_RESERVE_TOKENS: "2000" };
  const gateway = await openInProcess(server, env);
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
  });
  const client = new ScriptedClient(gateway, dialect);
  for (let n = 0; n < PROMPTS; n++) {
    const answer = await client.ask(`Part ${n}:\n${filler(8000, n)}`);
    expect(answer.status, answer.text).toBe(200);
    const usage = Number(count.exec(answer.text)?.[1]);
    expect(usage).toBe(tokens(server.requests.at(-1)?.rawBody ?? ""));
    // The server counts one token for four characters, a little more than a tokenizer does.
    expect(usage).toBeLessThan(WINDOW * 1.3);
  }
  expect(tokens(JSON.stringify(client.history))).toBeGreaterThan(2 * WINDOW);
});
