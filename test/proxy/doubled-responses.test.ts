// N25: gemini's API refuses a doubled response in any request, so none leaves the gateway.
import { expect, it, onTestFinished } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { openInProcess } from "./in-process.ts";
import { gemini, type Json, ScriptedClient } from "./scripted-client.ts";

it("N25 X47 a resumed gemini session that compresses, counts or checks itself is not refused for doubled answers", async () => {
  const server = await startModelServer({ script: () => text("I see.") });
  const gateway = await openInProcess(server);
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
  });
  const client = new ScriptedClient(gateway, gemini({ doubled: true }));
  server.script(calls([{ name: "read_file", args: { command: "a.txt" } }]));
  const first = await client.ask("read a.txt");
  const second = await client.answer(first, () => "hello PELICAN");
  expect(second.status, second.text).toBe(200);
  const { tools: _tools, ...bare } = client.dialect.body(client.history);
  const contents = (more: string): Json => ({ ...bare, contents: [...client.history, client.dialect.user(more)] });
  const snapshot = "First, reason in your scratchpad. Then, generate the updated <state_snapshot>.";
  const check = "Analyze *only* the content and structure of your immediately preceding response (your last turn).";
  for (const [kind, body] of [
    ["compaction", contents(snapshot)],
    ["aux", contents(check)],
  ] as const) {
    const answer = await client.post(JSON.stringify(body));
    expect([answer.status, answer.headers.get("x-everlong-kind")], answer.text).toEqual([200, kind]);
    expect(server.requests.at(-1)?.rawBody.split('"functionResponse"').length).toBe(2);
  }
  expect(server.rejected).toEqual([]);
});
