// XE8: an upstream that refuses for size. The client sees the retried success, or an error in a form that it survives.
import { expect, it, onTestFinished, vi } from "vitest";
import { type Reply, raw, text } from "../model-server/reply.ts";
import { type Answerer, startModelServer } from "../model-server/server.ts";
import { filler } from "./filler.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import {
  CLINE,
  COPILOT,
  chat,
  claude,
  codex,
  type Dialect,
  gemini,
  type Json,
  OPENCODE,
  PI,
  QWEN,
  ScriptedClient,
} from "./scripted-client.ts";

const LIMIT = 60_000;
const SMALL_LIMIT = 20_000;
/** Of the text that `filler` makes. */
const CHARS_A_TOKEN = 4.1;
const json = { "content-type": "application/json" };
const messageFor = (limit: number): string =>
  `This model's maximum context length is ${limit} tokens. However, your messages resulted in 90211 tokens.`;
const errorFor = (limit: number): Json => ({
  message: messageFor(limit),
  type: "invalid_request_error",
  param: "messages",
  code: "context_length_exceeded",
});

const asBody = (status: number, limit = LIMIT): Reply => raw(status, json, JSON.stringify({ error: errorFor(limit) }));
function asEvent(limit = LIMIT): Reply {
  const response = { id: "resp_1", object: "response", status: "in_progress", output: [], error: null };
  const events: Json[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    { type: "response.failed", response: { ...response, status: "failed", error: errorFor(limit) } },
  ];
  const frames = events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`);
  return raw(200, { "content-type": "text/event-stream" }, frames.join(""));
}

/** Pairs of messages of about 250 tokens each. */
function grown(gateway: TestGateway, dialect: Dialect, pairs: number): ScriptedClient {
  const client = new ScriptedClient(gateway, dialect);
  for (let n = 0; n < pairs; n++) {
    const said = `${n} ${filler(1000, n)}`;
    client.history.push(dialect.user(said), dialect.assistant(said));
  }
  return client;
}

async function scene(answer: Answerer, env: Record<string, string> = {}) {
  const server = await startModelServer({ script: answer });
  onTestFinished(async () => {
    await server.close();
    expect(server.rejected.map((request) => request.violation)).toEqual([]);
  });
  return { server, gateway: await startGateway(server, { env }) };
}

/** The record of what was asked, once it is written. */
const recordOf = (gateway: TestGateway, { headers }: { headers: Headers }): Promise<Json> =>
  vi.waitFor(async () => {
    const found = await gateway.api(`/api/proxy/requests/${headers.get("x-everlong-request")}`);
    expect(found.status).toBe(200);
    return (await found.json()) as Json;
  }, 60_000);

const windows = async (gateway: TestGateway): Promise<Json[]> =>
  JSON.parse((await gateway.cli(["proxy", "windows", "--json"])).stdout) as Json[];

it("XE8 X90 X91 X94 XB25 refused with a body, a 413, response.failed: the client sees only the retried success", async () => {
  const refusals: Record<string, () => Reply> = {
    "gpt-body": () => asBody(400),
    "gpt-413": () => asBody(413),
    "gpt-event": () => asEvent(),
  };
  const { server, gateway } = await scene(({ rawBody, model }) =>
    rawBody.length / CHARS_A_TOKEN > LIMIT ? (refusals[model]?.() ?? text("?")) : text("Fine."),
  );
  for (const model of Object.keys(refusals)) {
    const from = server.requests.length;
    const client = grown(gateway, codex({ model }), 180);
    const answer = await client.ask("And what now?");
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).not.toContain("maximum context length");
    expect(answer.text.match(/"type":"response.created"/g)).toHaveLength(1);
    expect(answer.items.at(-1)).toMatchObject({ role: "assistant", content: [{ text: "Fine." }] });
    expect(answer.headers.get("x-everlong-action")).toBe("retry");
    expect(server.requests.length - from).toBe(2);
    expect(server.requests[from]?.rawBody.length).toBeGreaterThan(85_000 * CHARS_A_TOKEN);
    // A new epoch at the low-water mark of the new window.
    const sent = Number(answer.headers.get("x-everlong-tokens-sent"));
    expect(sent).toBeLessThanOrEqual((LIMIT - 8192) * 0.8 * 0.55 + 3500);
    expect(sent).toBeGreaterThan(10_000);
    const record = await recordOf(gateway, answer);
    expect(record).toMatchObject({ action: "retry", epochReason: "context-error", outcome: "complete", window: LIMIT });
    expect(record["attempts"]).toMatchObject([{ error: "context_limit" }, { status: 200 }]);
    // What was learned holds: nothing is refused any more.
    expect((await client.ask("And then?")).status).toBe(200);
    expect(server.requests.length - from).toBe(3);
  }
  const learned = Object.keys(refusals).map((model) => ({ upstream: "openai", model, tokens: LIMIT }));
  expect((await windows(gateway)).map(({ upstream, model, tokens }) => ({ upstream, model, tokens }))).toEqual(
    expect.arrayContaining(learned),
  );
  expect((await gateway.cli(["proxy", "windows", "rm", "gpt-413"])).code).toBe(0);
  expect(await windows(gateway)).toHaveLength(2);
});

const FAR = 1_000_000;

it("X90 N34 a refusal that names far more than was sent teaches no window: a smaller request goes out, and later ones are not cut for it", async () => {
  let refusals = 1;
  const { server, gateway } = await scene(() => (refusals-- > 0 ? asBody(400, FAR) : text("Fine.")));
  const client = grown(gateway, codex({ model: "gpt-once" }), 80);
  const answer = await client.ask("And what now?");
  expect(answer.status, answer.text).toBe(200);
  const [first, second, ...more] = server.requests.map(({ rawBody }) => rawBody.length);
  expect(second).toBeLessThan(first ?? 0);
  expect([more, await windows(gateway)]).toEqual([[], []]);
  const next = grown(gateway, codex({ model: "gpt-once" }), 80);
  expect((await next.ask("And then?")).headers.get("x-everlong-action")).toBe("pass");
});

it("X90 N34 N30 one that goes on refusing is believed to be smaller than what it refused, whatever it names", async () => {
  const { server, gateway } = await scene(({ rawBody }) =>
    rawBody.length / CHARS_A_TOKEN > SMALL_LIMIT ? asBody(400, FAR) : text("Fine."),
  );
  const client = grown(gateway, codex({ model: "gpt-often" }), 180);
  const answer = await client.ask("And what now?");
  expect(answer.status, answer.text).toBe(200);
  expect(server.requests).toHaveLength(3);
  const [learned] = await windows(gateway);
  expect(learned?.["tokens"]).toBeLessThan((server.requests[1]?.rawBody.length ?? 0) / 4);
});

const always = (status: number, body: string): Reply => raw(status, { ...json, "x-of-upstream": "1" }, body);
const OPENAI = JSON.stringify({ error: errorFor(SMALL_LIMIT) });
const PLAIN = JSON.stringify({ error: { message: `${messageFor(SMALL_LIMIT)} ` } });
const ANTHROPIC =
  '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 90211 tokens > 20000 maximum"}}';
const GOOGLE =
  '{"error":{"code":400,"message":"The input token count (90211) exceeds the maximum number of tokens allowed (20000).","status":"INVALID_ARGUMENT"}}';

type Told = { status: number; body?: string; says?: RegExp };
const CASES: Record<string, [(model: string) => Dialect, Reply, Told]> = {
  "codex-413": [
    (model) => codex({ model }),
    always(413, OPENAI),
    { status: 400, says: /"code":"context_length_exceeded"/ },
  ],
  "codex-event": [
    (model) => codex({ model }),
    asEvent(SMALL_LIMIT),
    { status: 400, says: /"code":"context_length_exceeded"/ },
  ],
  pi: [(model) => chat({ model, headers: PI }), always(413, PLAIN), { status: 400, says: /context_length_exceeded/ }],
  cline: [
    (model) => chat({ model, headers: CLINE }),
    always(413, PLAIN),
    { status: 400, says: /context_length_exceeded/ },
  ],
  "gemini-2.5-x": [(model) => gemini({ model }), always(413, GOOGLE), { status: 400, says: /token count/ }],
  copilot: [(model) => chat({ model, headers: COPILOT }), always(400, OPENAI), { status: 413 }],
  claude: [(model) => claude({ model }), always(400, ANTHROPIC), { status: 400, body: ANTHROPIC }],
  opencode: [(model) => chat({ model, headers: OPENCODE }), always(413, PLAIN), { status: 413, body: PLAIN }],
  qwen: [(model) => chat({ model, headers: QWEN }), always(400, PLAIN), { status: 400, body: PLAIN }],
};

it("XE8 X91 X92 XB15 always refused: three attempts, then each client gets the error that it survives", async () => {
  let refusing = true;
  const { server, gateway } = await scene(({ model }) => (refusing ? (CASES[model]?.[1] ?? text("?")) : text("Fine.")));
  for (const [model, [dialect, , told]] of Object.entries(CASES)) {
    refusing = true;
    const from = server.requests.length;
    const client = grown(gateway, dialect(model), 60);
    const answer = await client.ask("And what now?");
    expect([model, answer.status], answer.text).toEqual([model, told.status]);
    if (told.body !== undefined) {
      expect(answer.text).toBe(told.body);
      expect(answer.headers.get("x-of-upstream")).toBe("1");
    }
    expect(answer.text).toMatch(told.says ?? /./);
    const sizes = server.requests.slice(from).map(({ rawBody }) => rawBody.length);
    expect([model, ...sizes], model).toHaveLength(4);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    const error = "context_limit";
    expect((await recordOf(gateway, answer))["attempts"]).toMatchObject([{ error }, { error }, { error }]);
    // The session goes on.
    refusing = false;
    const next = await client.send();
    expect(next.status, next.text).toBe(200);
  }
});

it("XE8 X86 XB16 401, 429, 500 and 529 go to the client as they came, at once, whatever they say", async () => {
  const tokens =
    '{"error":{"message":"Rate limit reached: 30000 tokens per min. Limit 30000, requested 90000 tokens."}}';
  let reply = text("?");
  const { server, gateway } = await scene(() => reply);
  for (const status of [429, 529, 401, 500]) {
    for (const dialect of [codex(), claude(), gemini({ model: "gemini-2.5-x" }), chat({ headers: COPILOT })]) {
      reply = raw(status, { ...json, "retry-after": "17" }, tokens);
      const from = server.requests.length;
      const answer = await grown(gateway, dialect, 8).ask("And what now?");
      expect([answer.status, answer.text, answer.headers.get("retry-after")]).toEqual([status, tokens, "17"]);
      expect(server.requests.length - from).toBe(1);
    }
  }
  expect(await windows(gateway)).toEqual([]);
});
