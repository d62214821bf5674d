// XE3: claude with thinking, parallel tools, four cache breakpoints, reminders and its id in metadata, over many cuts.
import { expect, it, onTestFinished } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { filler } from "./filler.ts";
import { startGateway } from "./gateway.ts";
import { claude, type Json, ScriptedClient } from "./scripted-client.ts";

const WINDOW = 24_000;
const SUMMARISE =
  "Your task is to create a detailed summary of the conversation so far, paying close attention to the user's explicit requests.";
const SUMMARY =
  "<analysis>Chronologically…</analysis>\n<summary>\n1. Primary Request: the user wants the lexer of the ledger importer rewritten without regular expressions.\n2. Files: src/ledger/lexer.ts was rewritten by hand.\n</summary>";

const marks = (raw: string): number => raw.split('"cache_control":').length - 1;
const unmarked = (raw: string): string => raw.replaceAll(/,"cache_control":\{[^}]*\}/g, "");
const messagesOf = (raw: string): Json[] => (JSON.parse(raw) as { messages: Json[] }).messages;
/** The bytes of the history without its end, cache markers aside. */
const history = (raw: string): string => unmarked(raw).slice(0, unmarked(raw).lastIndexOf('],"system":['));

it("XE3 X22 X28 X44 X45 X64 X78 XI1 XI4 claude with thinking, parallel tools and breakpoints", async () => {
  const server = await startModelServer({ maxTokens: WINDOW * 1.3 });
  let asked = 0;
  server.always(({ rawBody }) => {
    asked += 1;
    if (rawBody.includes(SUMMARISE.slice(0, 40))) return text(SUMMARY);
    if (messagesOf(rawBody).length < 3 || asked % 12 === 0) return text(`All done ${asked}.`, { reasoning: "Enough." });
    const two = [
      { name: "Bash", args: { command: `ls ${asked}` } },
      { name: "Read", args: { command: `file ${asked}` } },
    ];
    return calls(asked % 3 === 0 ? two.slice(1) : two, { reasoning: `Thinking about ${asked}.`, text: "I look." });
  });
  onTestFinished(() => server.close());
  const gateway = await startGateway(server, { env: { EVERLONG_PROXY_WINDOWS: `*: ${WINDOW}` } });
  const session = "5a1e3f00-aaaa-4bbb-8ccc-0123456789ab";
  const client = new ScriptedClient(gateway, claude({ session }), {
    "x-everlong-todo": `base64:${Buffer.from("- [ ] rewrite the lexer\n- [ ] keep the tests").toString("base64")}`,
  });

  const epochs: number[] = [];
  const lasts: Json[] = [];
  let before = "";
  let answer = await client.ask("Rewrite the lexer of the ledger importer.");
  for (let n = 0; n < 90; n++) {
    const isLoop = answer.calls.length > 0;
    answer = isLoop
      ? await client.answer(answer, (_call, i) => filler(1100, n * 10 + i))
      : await client.ask(`Step ${n}: go on with the next file of the importer.`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get("x-everlong-session")).toBe(session);
    const raw = server.requests.at(-1)?.rawBody ?? "";
    const epoch = Number(answer.headers.get("x-everlong-epoch"));
    // X45: the breakpoints of system and tools, and those of the two newest messages, which are never left out.
    expect(marks(raw)).toBe(4);
    const own = JSON.stringify(client.dialect.body([])["system"]);
    expect(raw).toContain(`"system":${own},"tools":${JSON.stringify(client.dialect.body([])["tools"])}`);
    if (epochs.at(-1) === epoch) expect(unmarked(raw).startsWith(history(before))).toBe(true);
    if (isLoop) lasts.push(messagesOf(raw).at(-1) ?? {});
    before = raw;
    epochs.push(epoch);
  }
  expect(server.rejected.map((request) => request.violation)).toEqual([]);
  expect(server.requests.filter((request) => request.overLimit)).toEqual([]);
  expect(Math.max(...epochs)).toBeGreaterThanOrEqual(3);
  // X78: where an epoch begins inside of a tool loop the state is the last text block, after all results.
  const withState = lasts.filter((message) => JSON.stringify(message).includes("<everlong_state>"));
  expect(withState.length).toBeGreaterThan(0);
  for (const message of withState) {
    const blocks = message["content"] as Json[];
    const firstText = blocks.findIndex((block) => block["type"] === "text");
    expect(blocks.slice(0, firstText).every((block) => block["type"] === "tool_result")).toBe(true);
    expect(blocks.slice(firstText).every((block) => block["type"] === "text")).toBe(true);
    expect(blocks.at(-1)?.["text"]).toMatch(/^<everlong_state>[\s\S]*rewrite the lexer[\s\S]*<\/everlong_state>$/);
  }

  // Compaction by hand, with a history that no longer fits: it goes through, and what it says is kept.
  if (answer.calls.length > 0) client.history.pop();
  const lane = answer.headers.get("x-everlong-lane");
  const compacted = await client.ask(SUMMARISE);
  expect([compacted.status, compacted.headers.get("x-everlong-kind")]).toEqual([200, "compaction"]);
  expect(compacted.headers.get("x-everlong-action")).toBe("trim");
  expect(Number(compacted.headers.get("x-everlong-tokens-in"))).toBeGreaterThan(WINDOW);

  // The client goes on with its summary only: the same session, its state, and its memory.
  client.history = [
    client.dialect.user(
      `This session is being continued from a previous conversation that ran out of context.\n\n${SUMMARY.slice(SUMMARY.indexOf("<summary>") + 9, -11)}`,
    ),
  ];
  const next = await client.ask("Which file did step 14 ask about, and what did its listing begin with?");
  expect(next.status, next.text).toBe(200);
  expect(next.headers.get("x-everlong-session")).toBe(session);
  expect([next.headers.get("x-everlong-kind"), next.headers.get("x-everlong-lane")]).toEqual(["main", lane]);
  const raw = server.requests.at(-1)?.rawBody ?? "";
  expect(raw).toContain("<everlong_state>");
  expect(raw).toContain("ledger importer rewritten without regular expressions");
  const summaries = gateway.events(session).filter((event) => event["kind"] === "client_summary");
  expect(summaries.map((event) => event["text"])).toEqual([SUMMARY]);
});
