// Three clients at work: histories that grow over real HTTP until the gateway trims them and quotes what it left out.
import { ask } from "../../server/ask.ts";
import { ANSWER, CLIENTS, type DemoClient, outputOf, promptOf, REPOSITORY, TURNS_OF_A_CLIENT } from "./story.ts";

type Json = Record<string, unknown>;
type DemoWire = {
  path: string;
  agent: string;
  body(history: readonly Json[]): Json;
  /** A prompt with a call and its result, and the answer to them, as this wire writes them. */
  turn(prompt: string, output: string | undefined, n: number): Json[];
  answer: Json;
};

const LIMIT_MS = 10_000;
const SYSTEM = "You are a careful coding agent. Work in the repository at hand.";
const schema = { type: "object", properties: { path: { type: "string" } } };

const WIRES: Record<DemoClient["wire"], DemoWire> = {
  anthropic: {
    path: "/v1/messages",
    agent: "claude-cli/2.1.325 (external, cli)",
    body: (messages) => ({
      ...{ model: "claude-sonnet-4-5", max_tokens: 4096, system: SYSTEM, messages },
      tools: [{ name: "read", description: "Reads a file.", input_schema: schema }],
    }),
    turn: (prompt, output, n) => [
      { role: "user", content: [{ type: "text", text: prompt }] },
      ...(output === undefined
        ? []
        : [
            {
              role: "assistant",
              content: [{ type: "tool_use", id: `c${n}`, name: "read", input: { path: `part-${n}.ts` } }],
            },
            { role: "user", content: [{ type: "tool_result", tool_use_id: `c${n}`, content: output }] },
          ]),
    ],
    answer: { role: "assistant", content: [{ type: "text", text: ANSWER }] },
  },
  "openai-responses": {
    path: "/v1/responses",
    agent: "codex_cli_rs/0.166.0",
    body: (input) => ({
      ...{ model: "gpt-5-codex", instructions: SYSTEM, input, stream: false, store: false },
      tools: [{ type: "function", name: "read", description: "Reads a file.", parameters: schema }],
    }),
    turn: (prompt, output, n) => [
      { type: "message", role: "user", content: [{ type: "input_text", text: prompt }] },
      ...(output === undefined
        ? []
        : [
            { type: "function_call", call_id: `c${n}`, name: "read", arguments: `{"path":"part-${n}.ts"}` },
            { type: "function_call_output", call_id: `c${n}`, output },
          ]),
    ],
    answer: { type: "message", role: "assistant", content: [{ type: "output_text", text: ANSWER }] },
  },
  gemini: {
    path: "/v1beta/models/gemini-2.5-pro:generateContent",
    agent: "GeminiCLI/0.61.0 (linux; x64)",
    body: (contents) => ({
      contents,
      systemInstruction: { parts: [{ text: SYSTEM }] },
      tools: [{ functionDeclarations: [{ name: "read", description: "Reads a file.", parameters: schema }] }],
    }),
    turn: (prompt, output, n) => [
      { role: "user", parts: [{ text: prompt }] },
      ...(output === undefined
        ? []
        : [
            { role: "model", parts: [{ functionCall: { name: "read", args: { path: `part-${n}.ts` } } }] },
            { role: "user", parts: [{ functionResponse: { name: "read", response: { output } } }] },
          ]),
    ],
    answer: { role: "model", parts: [{ text: ANSWER }] },
  },
};

/** Headers have one line. */
const todoFor = ({ topic }: DemoClient): string =>
  `base64:${Buffer.from(`- look at every part of ${topic}\n- write down what is odd`).toString("base64")}`;

/** Gives how many requests were answered. */
export async function runTraffic(gateway: { address: string; token: string }): Promise<number> {
  let answered = 0;
  for (const client of CLIENTS) {
    const wire = WIRES[client.wire];
    const history: Json[] = [];
    for (let n = 0; n < TURNS_OF_A_CLIENT; n++) {
      const isLast = n === TURNS_OF_A_CLIENT - 1;
      history.push(...wire.turn(promptOf(client, n), isLast ? undefined : outputOf(client, n), n));
      const reply = await ask(
        gateway.address,
        {
          method: "POST",
          path: wire.path,
          body: JSON.stringify(wire.body(history)),
          headers: {
            "content-type": "application/json",
            "user-agent": wire.agent,
            "x-everlong-session": client.session,
            "x-everlong-repo": REPOSITORY,
            "x-everlong-token": gateway.token,
            ...(n === 0 ? { "x-everlong-todo": todoFor(client) } : {}),
          },
        },
        LIMIT_MS,
      );
      if (reply.ok && reply.value.status === 200) answered++;
      history.push(wire.answer);
    }
  }
  return answered;
}
