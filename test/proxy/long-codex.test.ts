// XE2: a codex session of 200 tool rounds, far past the window, through a real gateway.
import { expect, it, onTestFinished } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { buried, filler } from "./filler.ts";
import { startGateway } from "./gateway.ts";
import { CODEX_INSTRUCTIONS, codex, type Json, ScriptedClient } from "./scripted-client.ts";

const WINDOW = 32_000;
const USABLE = WINDOW - 8192;
const HIGH = Math.floor(USABLE * 0.8);
const ROUNDS = 200;
const PROMPTS = 5;
const FACT = "The staging database of the billing team listens on port 54871.";

/** The bytes up to the last item of the history. */
const untilTail = (raw: string): string => raw.slice(0, raw.lastIndexOf('],"tools":['));

it("XE2 X33 X37 X38 X39 X40 X41 X42 X57 X59 X79 XI4 a codex session of 200 tool rounds", async () => {
  let asked = 0;
  const server = await startModelServer({
    // Four characters a token, as this server counts, are a little more than real tokens of such text.
    maxTokens: WINDOW * 1.3,
    script: ({ body }) => {
      asked += 1;
      const items = (body as { input: Json[] }).input;
      const isDone = JSON.stringify(items.at(-1)).includes("the last round of this prompt");
      if (isDone || JSON.stringify(items).includes("QUESTION")) return text(`Done ${asked}.`, { reasoning: "So." });
      const call = { name: "exec_command", args: { cmd: `cat notes/${asked}.txt` } };
      return calls(asked % 7 === 0 ? [call, { ...call, args: { cmd: "ls" } }] : [call], {
        reasoning: `Step ${asked}.`,
      });
    },
  });
  onTestFinished(() => server.close());
  const gateway = await startGateway(server, { env: { EVERLONG_PROXY_WINDOWS: `*: ${WINDOW}` } });
  const session = "0197a5b2-1111-7000-8000-00000000c0de";
  const client = new ScriptedClient(gateway, codex({ session }));

  const seen: { epoch: number; sent: number; tokensIn: number; raw: string; prompt: string }[] = [];
  const note = (answer: { status: number; headers: Headers; text: string }, prompt: string): void => {
    expect(answer.status, answer.text).toBe(200);
    const header = (name: string): number => Number(answer.headers.get(`x-everlong-${name}`));
    const raw = server.requests.at(-1)?.rawBody ?? "";
    seen.push({ epoch: header("epoch"), sent: header("tokens-sent"), tokensIn: header("tokens-in"), raw, prompt });
  };
  for (let p = 0, round = 0; p < PROMPTS; p++) {
    const prompt = `Task ${p}: go through folder number ${p} and report what you find there.`;
    let answer = await client.ask(prompt);
    note(answer, prompt);
    for (let n = 0; n < ROUNDS / PROMPTS; n++, round++) {
      const end = n === ROUNDS / PROMPTS - 1 ? "\nthe last round of this prompt" : "";
      const output = round === 50 ? buried(FACT, 3000, round) : filler(900, round);
      answer = await client.answer(answer, () => output + end);
      note(answer, prompt);
    }
    expect(answer.calls).toEqual([]);
  }
  expect(server.rejected.map((request) => request.violation)).toEqual([]);
  expect(server.requests.filter((request) => request.overLimit)).toEqual([]);

  // X33, X38: cut only above the high-water mark, and then down to the low one; blocks and their allowance beside it.
  const epochs = Math.max(...seen.map(({ epoch }) => epoch));
  expect(epochs).toBeGreaterThanOrEqual(3);
  for (const [index, { epoch, sent, raw, prompt, tokensIn }] of seen.entries()) {
    expect(sent).toBeLessThanOrEqual(HIGH);
    if (epoch === 0) expect(sent).toBe(tokensIn);
    for (const part of [`"instructions":${JSON.stringify(CODEX_INSTRUCTIONS)}`, "Task 0:", prompt])
      expect(raw).toContain(part);
    expect(raw).toContain(JSON.stringify(codex().body([])["tools"]));
    const before = seen[index - 1];
    if (!before) continue;
    if (before.epoch === epoch) expect(raw.startsWith(untilTail(before.raw))).toBe(true);
    else {
      expect(before.sent).toBeGreaterThan(HIGH * 0.75);
      expect(sent).toBeLessThan(HIGH * 0.55 + 3500);
    }
  }

  // A fact of 150 rounds ago, deep in a tool result that has long been left out.
  expect(seen.at(-1)?.raw).not.toContain("54871");
  client.history.push(
    client.dialect.user("QUESTION: on which port does the staging database of the billing team listen?"),
  );
  const body = JSON.stringify(client.dialect.body(client.history));
  const asking = await client.post(body);
  note(asking, "QUESTION");
  const bytes = server.requests.at(-1)?.rawBody ?? "";
  const recalled = (JSON.parse(bytes) as { input: Json[] }).input.filter((item) =>
    JSON.stringify(item).includes("54871"),
  );
  expect(recalled).toEqual([
    { type: "message", role: "user", content: [{ type: "input_text", text: expect.any(String) }] },
  ]);
  expect(JSON.stringify(recalled)).toContain("<everlong_recall>");
  expect(Number(asking.headers.get("x-everlong-recalled"))).toBeGreaterThan(0);

  // X52: the same request again and again: the same bytes, no new line.
  const lines = gateway.events(session);
  expect(lines.length).toBeGreaterThan(100);
  for (let n = 0; n < 2; n++) {
    note(await client.post(body), "QUESTION");
    expect(server.requests.at(-1)?.rawBody).toBe(bytes);
  }
  expect(gateway.events(session)).toEqual(lines);
  const dropped = lines.filter((event) => event["kind"] === "dropped_responses");
  expect(new Set(dropped.map((event) => event["hash"])).size).toBe(dropped.length);
  expect(dropped.filter((event) => String(event["text"]).includes("54871"))).toHaveLength(1);
});
