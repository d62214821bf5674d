// Histories that the gateway has never seen, each so long that its very first request is cut: how many of the facts that
// were cut away come back with that request. Told to the test and to the bench.
import type { ModelServer } from "../model-server/server.ts";
import { buried, filler } from "./filler.ts";
import { FACTS } from "./planted-facts.ts";
import { chat, type Json, OPENCODE, ScriptedClient } from "./scripted-client.ts";

export const FIRST_CUT_ENV = {
  EVERLONG_PROXY_WINDOWS: "*: 12000",
  EVERLONG_PROXY_RESERVE_TOKENS: "1000",
  // A state block that changes the cut would make the gateway plan, and search, once more.
  CLIPROXY_SCAFFOLD_ENABLED: "0",
};

const IN_ONE = 11;
const DEPTH = 1000;
const ROUNDS_AFTER = 14;

export type FirstCuts = { share: number; missed: string[]; uncut: string[]; standing: string[]; lost: string[] };

/** A session of its own for each fact; the others of its history are there to be confused with it. */
export async function firstCuts(gateway: { url: string }, server: ModelServer): Promise<FirstCuts> {
  const cuts: FirstCuts = { share: 0, missed: [], uncut: [], standing: [], lost: [] };
  for (const [n, fact] of FACTS.entries()) {
    const client = new ScriptedClient(gateway, chat({ headers: { ...OPENCODE, "x-session-affinity": `first-${n}` } }));
    const from = n - (n % IN_ONE);
    for (const [at, { text }] of FACTS.slice(from, from + IN_ONE).entries()) {
      const id = `call_${at}`;
      const name = "read_file";
      const call = { id, type: "function", function: { name, arguments: `{"command":"part ${at}"}` } };
      client.history.push(
        client.dialect.user(`Look at part ${at}.`),
        { role: "assistant", content: null, tool_calls: [call] },
        ...client.dialect.results([{ id, name, output: buried(text, DEPTH, n * IN_ONE + at) }]),
        client.dialect.assistant(`Part ${at} is as it should be.`),
      );
    }
    for (let round = 0; round < ROUNDS_AFTER; round++)
      client.history.push(
        client.dialect.user(`Then chapter ${round}: ${filler(1500, 9000 + n * ROUNDS_AFTER + round)}`),
        client.dialect.assistant(`Read ${round}.`),
      );
    const answer = await client.ask(fact.question);
    if (answer.headers.get("x-everlong-action") !== "trim") cuts.uncut.push(fact.question);
    const lost = answer.headers.get("x-everlong-recall-lost");
    if (lost !== null) cuts.lost.push(`${fact.question}: ${lost}`);
    const sent = server.requests.at(-1)?.rawBody ?? "";
    const { messages } = JSON.parse(sent) as { messages: Json[] };
    const last = String(messages.at(-1)?.["content"]);
    const quotes = (/<everlong_recall>[\s\S]*?<\/everlong_recall>/.exec(last)?.[0] ?? "").split("\n");
    const isQuoted = quotes.some(
      (line) => line.includes(fact.answer) && fact.text.includes(line.replaceAll("…", "").trim()),
    );
    if (!isQuoted) cuts.missed.push(fact.question);
    const rest = messages.map(({ content }) => String(content).replace(/<(everlong_\w+)>[\s\S]*?<\/\1>/g, ""));
    if (rest.some((text) => text.includes(fact.text))) cuts.standing.push(fact.question);
  }
  cuts.share = 1 - cuts.missed.length / FACTS.length;
  return cuts;
}
