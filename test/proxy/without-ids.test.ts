// XE4: gemini and qwen send no id of a session; theirs are told apart and found again by what was said.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { filler } from "./filler.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { type Answer, chat, gemini, type Json, QWEN, ScriptedClient } from "./scripted-client.ts";

const WINDOW = 20_000;

/** Every prompt gets two tool rounds; ids as the clients of these wires make them. */
async function scene(): Promise<{ server: ModelServer; gateway: TestGateway }> {
  const server = await startModelServer({ maxTokens: WINDOW * 1.3 });
  server.always(({ body, index }) => {
    const { contents, messages } = body as { contents?: Json[]; messages?: Json[] };
    if (JSON.stringify((contents ?? messages)?.at(-1)).includes("round 2")) return text(`Answer ${index}.`);
    const call = { name: "run_shell_command", args: { command: `step ${index}` } };
    const two = [
      { ...call, id: `run_${index}_a` },
      { ...call, id: `run_${index}_b` },
    ];
    return calls(index % 2 ? two : two.slice(1), { reasoning: `Thought ${index}.` });
  });
  onTestFinished(async () => {
    await server.close();
    expect(server.rejected.map((request) => request.violation)).toEqual([]);
    expect(server.requests.filter((request) => request.overLimit)).toEqual([]);
  });
  const gateway = await startGateway(server, {
    env: { EVERLONG_PROXY_WINDOWS: `*: ${WINDOW}`, EVERLONG_PROXY_HIGH_WATER: "0.8" },
  });
  return { server, gateway };
}

/** Its answers; all end with the session that the gateway names. */
async function turn(client: ScriptedClient, prompt: string, secret: string, seed: number): Promise<Answer[]> {
  const answers = [await client.ask(prompt)];
  for (const round of [1, 2]) {
    const output = (_call: unknown, i: number): string => `${secret} ${filler(900, seed * 10 + i)} round ${round}`;
    answers.push(await client.answer(answers.at(-1) as Answer, output));
  }
  for (const answer of answers) expect(answer.status, answer.text).toBe(200);
  return answers;
}

const folders = (gateway: TestGateway): string[] => readdirSync(join(gateway.dir, "sessions")).sort();
const sessionsOf = (answers: readonly Answer[]): string[] => [
  ...new Set(answers.map((answer) => answer.headers.get("x-everlong-session") ?? "")),
];

it.each(["gemini", "qwen"] as const)(
  "XE4 X21 X22 X24 XI9 two interleaved %s sessions with one first sentence, resumed re-serialised",
  async (family) => {
    const { server, gateway } = await scene();
    const dialect = () => (family === "gemini" ? gemini() : chat({ headers: QWEN }));
    const clients = ["MARMALADE", "TURPENTINE"].map((secret) => ({
      secret,
      client: new ScriptedClient(gateway, dialect()),
      answers: [] as Answer[],
      bodies: [] as string[],
    }));
    const play = async (n: number): Promise<void> => {
      for (const one of clients) {
        const from = server.requests.length;
        const prompt = n === 0 ? "Please fix the failing test." : `Now number ${n}, and what did ${one.secret} say?`;
        one.answers.push(...(await turn(one.client, prompt, one.secret, n)));
        one.bodies.push(...server.requests.slice(from).map(({ rawBody }) => rawBody));
      }
    };
    for (let n = 0; n < 12; n++) await play(n);
    // Resumed: other order of fields, no thoughts and no signatures, texts with white space around them.
    for (const { client } of clients) client.history = client.history.map((item) => reserialised(item, family));
    for (let n = 12; n < 16; n++) await play(n);

    const names = clients.map(({ answers }) => sessionsOf(answers));
    expect(names).toEqual([[expect.stringMatching(/^c-[0-9a-f]{16}$/)], [expect.stringMatching(/^c-[0-9a-f]{16}$/)]]);
    expect(folders(gateway)).toEqual(names.flat().sort());
    for (const [n, { secret, bodies, answers }] of clients.entries()) {
      const other = clients[1 - n]?.secret ?? "";
      expect(bodies.filter((body) => body.includes(other))).toEqual([]);
      expect(Math.max(...answers.map((a) => Number(a.headers.get("x-everlong-epoch"))))).toBeGreaterThan(0);
      expect(new Set(answers.map((answer) => answer.headers.get("x-everlong-lane"))).size).toBe(1);
      expect(bodies.some((body) => body.includes("<everlong_recall>"))).toBe(true);
      const dir = join(gateway.dir, "sessions", names[n]?.[0] ?? "");
      const files = readdirSync(dir).map((file) => readFileSync(join(dir, file), "utf8"));
      expect(files.join()).toContain(secret);
      expect(files.join()).not.toContain(other);
    }
  },
);

function reserialised(item: Json, family: string): Json {
  if (family === "qwen") {
    const { role, content, ...rest } = item;
    return { ...(typeof content === "string" ? { content: `${content}\n` } : { content }), ...rest, role };
  }
  const parts = (item["parts"] as Json[])
    .filter((part) => part["thought"] !== true)
    .map(({ thoughtSignature: _gone, ...part }) => part);
  return { parts, role: item["role"] };
}

it("XE4 X22 X47 gemini's doubled functionResponse is collapsed, in a request that needs nothing else too", async () => {
  const { server, gateway } = await scene();
  const client = new ScriptedClient(gateway, gemini({ doubled: true }));
  for (let n = 0; n < 3; n++) await turn(client, `Prompt ${n}`, "X", n);
  const sent = JSON.parse(server.requests.at(-1)?.rawBody ?? "") as { contents: { parts: Json[] }[] };
  const responses = sent.contents.map(({ parts }) => parts.filter((part) => part["functionResponse"]).length);
  const asked = sent.contents.map(({ parts }) => parts.filter((part) => part["functionCall"]).length);
  expect(responses.slice(1)).toEqual(asked.slice(0, -1));
  expect(asked).toContain(2);
  expect(folders(gateway)).toHaveLength(1);
});

it("XE4 X29 qwen's memory extraction repeats the history with other tools: it passes, and nothing of it stays", async () => {
  const { server, gateway } = await scene();
  const client = new ScriptedClient(gateway, chat({ headers: QWEN }));
  for (let n = 0; n < 4; n++) await turn(client, `Prompt number ${n} of the day`, "HISTORY", n);
  const [session = ""] = folders(gateway);
  const before = await gateway.api(`/api/proxy/sessions/${session}`).then((r) => r.json() as Promise<Json>);

  const extractor = chat({ headers: QWEN, tools: ["save_memory", "list_memories"] });
  const body = JSON.stringify(
    extractor.body([...client.history, { role: "user", content: "Extract what is worth keeping: XYLOPHONE" }]),
  );
  const passed = await client.post(body);
  expect([passed.status, passed.headers.get("x-everlong-kind")]).toEqual([200, "aux"]);
  expect(server.requests.at(-1)?.rawBody).toBe(body);

  const [after] = await turn(client, "And now the next thing", "HISTORY", 9);
  expect(after?.headers.get("x-everlong-session")).toBe(session);
  expect(server.requests.at(-1)?.rawBody).not.toContain("XYLOPHONE");
  expect(folders(gateway)).toEqual([session]);
  const found = await gateway.api("/api/proxy/search", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "XYLOPHONE", session }),
  });
  expect(await found.json()).toMatchObject({ items: [] });
  const now = await gateway.api(`/api/proxy/sessions/${session}`).then((r) => r.json() as Promise<Json>);
  expect((now["lanes"] as Json[]).length).toBe((before["lanes"] as Json[]).length);
  expect(gateway.file(session, "events.jsonl")).not.toContain("XYLOPHONE");
});
