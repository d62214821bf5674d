// N26: what clients ask for their own use is not the conversation. The requests are those that the real clients send.
import { expect, it, onTestFinished } from "vitest";
import { SIDE_MARKS } from "../../src/proxy/classify/marks.ts";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { type InProcess, openInProcess } from "./in-process.ts";
import { chat, gemini, type Json, OPENCODE, QWEN, ScriptedClient } from "./scripted-client.ts";

const markOf = (client: string, word: string): string =>
  SIDE_MARKS.find((mark) => mark.client === client && mark.text.includes(word))?.text ?? "";

async function stage(): Promise<[InProcess, ModelServer]> {
  const server = await startModelServer({ script: () => text("I see."), strict: false });
  const gateway = await openInProcess(server, { EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000" });
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
  });
  return [gateway, server];
}

type Shown = { id: string; lanes: { length: number; kind: string }[]; prompts: number };
async function sessions(gateway: InProcess): Promise<Shown[]> {
  const { items } = (await (await gateway.api("/api/proxy/sessions")).json()) as { items: { id: string }[] };
  return Promise.all(
    items.map(async ({ id }) => (await (await gateway.api(`/api/proxy/sessions/${id}`)).json()) as Shown),
  );
}

/** Sent as it stands, with the client's own headers; nothing of it may change on its way. */
async function aside(client: ScriptedClient, server: ModelServer, body: Json): Promise<void> {
  const sent = JSON.stringify(body);
  const answer = await client.post(sent);
  expect([answer.status, answer.headers.get("x-everlong-kind")], answer.text).toEqual([200, "aux"]);
  expect(server.requests.at(-1)?.rawBody).toBe(sent);
}

it("N26 opencode's title, asked for before the conversation has begun, is no part of it", async () => {
  const [gateway, server] = await stage();
  const client = new ScriptedClient(gateway, chat({ headers: { ...OPENCODE, "x-session-affinity": "titled" } }));
  const system = `${markOf("opencode", "title")} You output ONLY a thread title. Nothing else.`;
  const messages = [
    { role: "system", content: system },
    { role: "user", content: "Generate a title for this conversation:\n" },
    { role: "user", content: '"read a.txt"' },
  ];
  await aside(client, server, { model: "small", messages });
  expect(await sessions(gateway)).toEqual([]);
  const answer = await client.ask('"read a.txt"');
  expect(answer.headers.get("x-everlong-kind")).toBe("main");
  await aside(client, server, { model: "small", messages });
  const [session, ...others] = await sessions(gateway);
  expect([session?.prompts, session?.lanes.length, others]).toEqual([1, 1, []]);
});

it("N26 gemini's loop check, next-speaker check and routing make no session, lane or prompt", async () => {
  const [gateway, server] = await stage();
  const client = new ScriptedClient(gateway, gemini());
  const shape = { generationConfig: { responseMimeType: "application/json", responseJsonSchema: { type: "object" } } };
  const routing = {
    contents: [client.dialect.user("read a.txt")],
    systemInstruction: { role: "user", parts: [{ text: `\n${markOf("gemini", "Routing")} Your sole function …` }] },
  };
  await aside(client, server, routing);
  for (const prompt of ["read a.txt", "and b.txt", "and c.txt"]) await client.ask(prompt);
  const before = await sessions(gateway);
  const check = client.dialect.user(`${markOf("gemini", "preceding")} (your last turn in the conversation history).`);
  await aside(client, server, { contents: [...client.history, check] });
  const loop = { systemInstruction: { role: "user", parts: [{ text: markOf("gemini", "loop") }] } };
  const recent = client.history.slice(-3);
  await aside(client, server, { contents: [client.dialect.user("read a.txt"), ...recent], ...loop });
  // A check that a later version words in another way is known by the shape that it wants.
  await aside(client, server, { contents: [client.dialect.user("Who speaks next?")], ...shape });
  expect(await sessions(gateway)).toEqual(before);
});

it("N26 qwen's memory extraction and its compaction change neither lane nor summary of the conversation", async () => {
  const [gateway, server] = await stage();
  const names = ["read_file", "grep_search", "glob", "run_shell_command", "write_file", "edit"];
  const client = new ScriptedClient(gateway, chat({ headers: QWEN, tools: [...names, "skill", "tool_search"] }));
  const persona = `${markOf("qwen", "extraction")} for an AI coding assistant.`;
  const task = client.dialect.user(`${markOf("qwen", "TWO")} Choose which one to write each memory into.`);
  const extraction = chat({ headers: QWEN, tools: names });
  const withPersona = (history: Json[]): Json => {
    const body = extraction.body(history);
    return { ...body, messages: [{ role: "system", content: persona }, ...history] };
  };
  for (const prompt of ["read a.txt", "and b.txt", "and c.txt"]) await client.ask(prompt);
  const before = await sessions(gateway);
  const said = [...client.history, task];
  await aside(client, server, withPersona(said));
  const more = [...said, client.dialect.assistant("The memory holds nothing of it yet, so I look on.")];
  // With the agent's own system text and tools, and with the persona of the summary instead.
  const directive = "First, reason in your <analysis> block. Then, produce the <state_snapshot> XML.";
  const shared = `You are the component that summarizes a conversation when its context window is about to overflow.\n${directive}`;
  await aside(client, server, withPersona([...more, client.dialect.user(shared)]));
  const cold = { role: "system", content: shared.split("\n")[0] };
  await aside(client, server, { model: "chat-scripted", messages: [cold, ...more, client.dialect.user(directive)] });
  expect(await sessions(gateway)).toEqual(before);
  expect(gateway.log(before[0]?.id ?? "").filter(({ kind }) => kind === "client_summary")).toEqual([]);
  // The conversation's own compaction still is one.
  const own = { model: "chat-scripted", messages: [cold, ...client.history, client.dialect.user(directive)] };
  const compaction = await client.post(JSON.stringify(own));
  expect(compaction.headers.get("x-everlong-kind")).toBe("compaction");
});
