// XE14: clients that compact their own history. It is recognised and passed; what vanished is kept, and found again.
import { expect, it, onTestFinished } from "vitest";
import { calls, raw, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { filler } from "./filler.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import {
  type Answer,
  CLINE,
  COPILOT,
  chat,
  claude,
  codex,
  type Dialect,
  type Json,
  OPENCODE,
  PI,
  ScriptedClient,
} from "./scripted-client.ts";

const FACT = "The certificate of the mail relay expires on the 23rd of Brumaire.";
const SUMMARY =
  "## Goal\nThe user wants the mail relay moved to the new data centre without losing any message.\n## Done\nThe folders one to five were looked through, and the queue was drained twice.";
const TURNS = 6;
const COMPACTED = "gAAAAABopaqueopaqueopaqueopaqueopaqueopaqueopaque";

async function scene(strict = true): Promise<{ server: ModelServer; gateway: TestGateway }> {
  const server = await startModelServer({ strict });
  server.always(({ body, rawBody, index, headers }) => {
    const { input, messages } = body as { input?: Json[]; messages?: Json[] };
    const last = JSON.stringify((input ?? messages)?.at(-1));
    if (last.includes("compaction_trigger")) return opaque();
    const isCompaction =
      headers["x-interaction-type"] === "conversation-compaction" ||
      headers["x-codex-turn-metadata"]?.includes("compaction") ||
      /CHECKPOINT COMPACTION|create a detailed summary/.test(last) ||
      /context summarization a|Summarize the provided coding session/.test(rawBody);
    if (isCompaction) return text(SUMMARY);
    const call = { name: toolOf(body as Json), args: { cmd: `ls ${index}` } };
    if (/Look through folder/.test(last)) return calls([call], { reasoning: `Folder ${index}.` });
    return text(`That was number ${index}.`);
  });
  onTestFinished(async () => {
    await server.close();
    expect(server.rejected.map((request) => request.violation)).toEqual([]);
  });
  return { server, gateway: await startGateway(server) };
}

function opaque() {
  const output = [{ type: "compaction", encrypted_content: COMPACTED }];
  const response = { id: "resp_c", object: "response", status: "completed", output, usage: null };
  const events = [
    { type: "response.created", response: { ...response, output: [], status: "in_progress" } },
    { type: "response.output_item.done", output_index: 0, item: output[0] },
    { type: "response.completed", response },
  ];
  return raw(
    200,
    { "content-type": "text/event-stream" },
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  );
}

function toolOf({ tools }: Json): string {
  const [first] = tools as { name?: string; function?: { name: string } }[];
  return first?.name ?? first?.function?.name ?? "";
}

const prompt = (n: number): string => `Look through folder number ${n} of the mail relay, and tell me about it.`;

/** Six turns of a tool round each; the fact is in the second. */
async function grow(client: ScriptedClient): Promise<Answer> {
  let answer: Answer | undefined;
  for (let n = 0; n < TURNS; n++) {
    const called = await client.ask(prompt(n));
    answer = await client.answer(called, () =>
      n === 1 ? `${filler(400, n)}\n${FACT}\n${filler(400, n)}` : filler(800, n),
    );
    expect(answer.status, answer.text).toBe(200);
  }
  return answer as Answer;
}

const flattened = (history: readonly Json[]): string =>
  history
    .map(({ role, content, tool_calls }) => `[${String(role)}]: ${String(content ?? JSON.stringify(tool_calls))}`)
    .join("\n\n");

type Case = {
  dialect: () => Dialect;
  /** The request in which it asks for its summary. */
  asks(client: ScriptedClient): { body: Json; headers?: Record<string, string> };
  /** What it goes on with. */
  after(client: ScriptedClient): Json[];
  kind?: string;
};

const over = (client: ScriptedClient, history: Json[], more: Json = {}): Json => ({
  ...client.dialect.body(history),
  ...more,
});
/** Without tools, with another system text: a history told as one text. */
const told = (client: ScriptedClient, system: string, history: Json[], after: string): Json => {
  const { tools: _tools, ...body } = client.dialect.body([
    { role: "user", content: `<conversation>\n${flattened(history)}\n</conversation>\n\n${after}` },
  ]);
  const [, ...messages] = body["messages"] as Json[];
  return { ...body, messages: [{ role: "system", content: system }, ...messages] };
};
const prompts = (client: ScriptedClient): Json[] =>
  client.history.filter((item) => item["role"] === "user" && JSON.stringify(item).includes("Look through"));

const CASES: Record<string, Case> = {
  "codex by its metadata header": {
    dialect: codex,
    asks: (client) => ({
      body: over(client, [...client.history, client.dialect.user("Please sum up.")]),
      headers: { "x-codex-turn-metadata": JSON.stringify({ request_kind: "compaction", turn_id: "t" }) },
    }),
    after: (client) => [
      ...prompts(client),
      client.dialect.user(`Another language model started to solve this problem and produced a summary:\n${SUMMARY}`),
    ],
  },
  "codex by its words": {
    dialect: codex,
    asks: (client) => ({
      body: over(client, [
        ...client.history,
        client.dialect.user("You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary."),
      ]),
    }),
    after: (client) => [
      ...Array.from({ length: 5 }, () => prompts(client)).flat(),
      client.dialect.user(`Another language model started to solve this problem and produced a summary:\n${SUMMARY}`),
    ],
  },
  "codex by its trigger": {
    dialect: codex,
    kind: "trigger",
    asks: (client) => ({ body: over(client, [...client.history, { type: "compaction_trigger" }]) }),
    after: (client) => [...prompts(client), { type: "compaction", encrypted_content: COMPACTED }],
  },
  claude: {
    dialect: claude,
    asks: (client) => ({
      body: over(client, [
        ...client.history,
        client.dialect.user("Your task is to create a detailed summary of the conversation so far, paying attention."),
      ]),
    }),
    after: (client) => [
      client.dialect.user(`This session is being continued from a previous conversation.\n${SUMMARY}`),
    ],
  },
  opencode: {
    dialect: () => chat({ headers: { ...OPENCODE, "x-session-affinity": "ses_opencode1" } }),
    asks: (client) => ({
      body: told(client, "You are a context summarization agent.", client.history, "Create a new anchored summary."),
    }),
    after: (client) => [
      client.dialect.user("What did we do so far?"),
      client.dialect.assistant(SUMMARY),
      ...client.history.slice(-3),
    ],
  },
  pi: {
    dialect: () => chat({ headers: PI }),
    // Its newest turns stay as they are and are not told.
    asks: (client) => ({
      body: told(client, "You are a context summarization assistant.", client.history.slice(0, -8), "Summarize."),
    }),
    after: (client) => [
      client.dialect.user(
        `The conversation history before this point was compacted:\n<summary>\n${SUMMARY}\n</summary>`,
      ),
      ...client.history.slice(-8),
    ],
  },
  cline: {
    dialect: () => chat({ headers: CLINE }),
    asks: (client) => ({
      body: told(
        client,
        "Summarize the provided coding session into a concise continuation note with detailed next steps.",
        client.history,
        "Now.",
      ),
    }),
    after: (client) => [
      client.dialect.user(`[Earlier conversation, summarized]\n${SUMMARY}`),
      ...client.history.slice(-1),
    ],
  },
};

it.each(Object.entries(CASES))(
  "XE14 X23 X26 X27 X28 X49 X57 XB24 %s: passed, kept, and what vanished is found again",
  async (_name, { dialect, asks, after, kind = "compaction" }) => {
    const { server, gateway } = await scene(kind !== "trigger");
    const client = new ScriptedClient(gateway, dialect());
    const last = await grow(client);
    const session = last.headers.get("x-everlong-session") ?? "";

    const { body, headers } = asks(client);
    const asked = await client.post(JSON.stringify(body), headers);
    expect([asked.status, asked.headers.get("x-everlong-kind")]).toEqual([200, kind]);
    expect(server.requests.at(-1)?.rawBody).toBe(JSON.stringify(body));

    client.history = after(client);
    const answer = await client.ask("When does the certificate of the mail relay expire?");
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get("x-everlong-session")).toBe(session);
    expect(answer.headers.get("x-everlong-kind")).toBe("main");
    expect(answer.headers.get("x-everlong-lane")).toBe(last.headers.get("x-everlong-lane"));
    expect(server.requests.at(-1)?.rawBody).toMatch(
      /<everlong_recall>[\s\S]*23rd of Brumaire[\s\S]*<\/everlong_recall>/,
    );

    await expect.poll(() => gateway.file(session, "events.jsonl")).toContain("Brumaire");
    const events = gateway.events(session);
    const gone = events.filter((event) => String(event["kind"]).startsWith("dropped_"));
    expect(gone.filter((event) => String(event["text"]).includes(FACT))).toMatchObject([{ by: "client" }]);
    expect(new Set(gone.map((event) => event["hash"])).size).toBe(gone.length);
    const summaries = events.filter((event) => event["kind"] === "client_summary").map((event) => event["text"]);
    expect(summaries).toEqual(kind === "trigger" ? [] : [SUMMARY]);
    const sessions = (await (await gateway.api("/api/proxy/sessions")).json()) as { items: Json[] };
    expect(sessions.items).toHaveLength(1);
  },
);

it("XE14 X28 copilot compacts beside its next turn: neither waits for the other", async () => {
  const { server, gateway } = await scene();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const client = new ScriptedClient(gateway, chat({ headers: COPILOT }));
  const last = await grow(client);
  const session = last.headers.get("x-everlong-session") ?? "";
  const count = server.requests.length;
  server.script(text(SUMMARY, { hold: held }));
  const ask = client.dialect.user(
    "Please create a detailed summary of the conversation so far. The history is being compacted, so be complete.",
  );
  const compaction = client.post(JSON.stringify(client.dialect.body([...client.history, ask])), {
    "x-interaction-type": "conversation-compaction",
  });
  await server.waitFor(count + 1);
  const beside = await client.ask("And what about the second relay?");
  expect([beside.status, beside.headers.get("x-everlong-kind")]).toEqual([200, "main"]);
  expect(beside.headers.get("x-everlong-lane")).toBe(last.headers.get("x-everlong-lane"));
  release();
  const summed = await compaction;
  expect([summed.status, summed.headers.get("x-everlong-kind")]).toEqual([200, "compaction"]);

  const newest = client.history.slice(-2);
  client.history = [client.dialect.user(`<summary>\n${SUMMARY}\n</summary>`), ...newest];
  const next = await client.ask("When does the certificate of the mail relay expire?");
  expect(next.headers.get("x-everlong-session")).toBe(session);
  expect(next.headers.get("x-everlong-lane")).toBe(last.headers.get("x-everlong-lane"));
  expect(server.requests.at(-1)?.rawBody).toMatch(/<everlong_recall>[\s\S]*23rd of Brumaire/);
  const lines = () => gateway.events(session).filter((event) => String(event["text"]).includes(FACT));
  await expect.poll(lines).toMatchObject([{ kind: "dropped_chat", by: "client" }]);
});
