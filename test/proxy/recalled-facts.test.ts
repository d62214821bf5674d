// X125: facts planted deep in a history that has long been left out come back when somebody asks for them.
import { expect, it, onTestFinished } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { buried, filler } from "./filler.ts";
import { startGateway } from "./gateway.ts";
import { FACTS } from "./planted-facts.ts";
import { chat, type Json, OPENCODE, ScriptedClient } from "./scripted-client.ts";

const WINDOW = 32_000;
const DEPTH = 3000;

/** Cut at either end perhaps, but the fact and no other line that happens to hold the answer. */
const isFrom = (planted: string, line: string): boolean => planted.includes(line.replaceAll("…", "").trim());

it("X125 X59 X60 X61 XI7 at least nine of ten planted facts are recalled for a natural question, each stored once", async () => {
  const server = await startModelServer({ script: () => text("I see."), maxTokens: WINDOW * 1.3 });
  onTestFinished(async () => {
    await server.close();
    expect(server.rejected.map((request) => request.violation)).toEqual([]);
    expect(server.requests.filter((request) => request.overLimit)).toEqual([]);
  });
  const gateway = await startGateway(server, {
    env: { EVERLONG_PROXY_WINDOWS: `*: ${WINDOW}` },
  });
  const session = "planted";
  const client = new ScriptedClient(gateway, chat({ headers: { ...OPENCODE, "x-session-affinity": session } }));
  const { dialect } = client;
  for (const [n, fact] of FACTS.entries()) {
    const deep = buried(fact.text, DEPTH, n);
    const call = {
      id: `call_${n}`,
      type: "function",
      function: { name: "read_file", arguments: `{"command":"part ${n}"}` },
    };
    client.history.push(dialect.user(fact.where === "user" ? deep : `Look at part ${n}.`));
    if (fact.where === "tool")
      client.history.push(
        { role: "assistant", content: null, tool_calls: [call] },
        ...dialect.results([{ id: call.id, name: "read_file", output: deep }]),
      );
    client.history.push(dialect.assistant(fact.where === "assistant" ? deep : `Part ${n} is as it should be.`));
  }
  for (let n = 0; n < 30; n++)
    client.history.push(dialect.user(`Then chapter ${n}: ${filler(1500, 500 + n)}`), dialect.assistant(`Read ${n}.`));

  const first = await client.ask("Thank you, that is all for today.");
  expect([first.status, first.headers.get("x-everlong-action")], first.text).toEqual([200, "trim"]);
  // Nothing of them is in view but what the anchor picked out, and what came back by chance.
  const raw = server.requests.at(-1)?.rawBody ?? "";
  const standing = raw.replace(/<(everlong_state|everlong_recall)>[\s\S]*?<\/\1>/g, "");
  for (const { text: planted } of FACTS) expect(standing).not.toContain(JSON.stringify(planted).slice(1, -1));

  const missed: string[] = [];
  for (const { question, answer, text: planted } of FACTS) {
    const answered = await client.ask(question);
    expect(answered.status, answered.text).toBe(200);
    const { messages } = JSON.parse(server.requests.at(-1)?.rawBody ?? "") as { messages: Json[] };
    // One that came back for an earlier question is still in view, and is not quoted again.
    const quotes = messages.flatMap(
      ({ content }) => String(content).match(/<everlong_recall>[\s\S]*<\/everlong_recall>/g) ?? [],
    );
    for (const quote of quotes) expect(quote.length).toBeLessThanOrEqual(9000);
    const lines = quotes.flatMap((quote) => quote.split("\n"));
    if (!lines.some((line) => line.includes(answer) && isFrom(planted, line))) missed.push(question);
  }
  expect(FACTS.length).toBeGreaterThanOrEqual(60);
  expect(1 - missed.length / FACTS.length, missed.join(" | ")).toBeGreaterThanOrEqual(0.9);

  const dropped = gateway.events(session).filter((event) => event["kind"] === "dropped_chat");
  for (const { text: planted } of FACTS)
    expect(dropped.filter((event) => String(event["text"]).includes(planted))).toHaveLength(1);
});
