// P24: histories far larger than the window, in four shapes: what is sent fits, is not cut to a stump, and what must never change is whole.
import { expect, it, onTestFinished } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { filler } from "./filler.ts";
import { openInProcess } from "./in-process.ts";

const WINDOW = 60_000;
const RESERVE = 8192;
const USABLE = WINDOW - RESERVE;
/** High-water mark 0.80 of usable, low-water mark 0.55 of that. */
const LOW = 0.55 * 0.8 * USABLE;
const SIZES = process.env["EVERLONG_SOAK"] ? [200_000, 800_000, 2_000_000, 4_000_000] : [200_000, 800_000];

type Message = Record<string, unknown>;
const SYSTEM = { role: "system", content: `You are a coding agent. ${filler(3000, 1)}` };
const TOOLS = Array.from({ length: 5 }, (_, n) => ({
  type: "function",
  function: { name: `tool${n}`, description: filler(400, n), parameters: { type: "object", properties: {} } },
}));

/** A prompt, a call, its result, an answer. */
function turn(n: number, sizes: { prompt: number; result: number }): Message[] {
  const id = `call_${n}`;
  const call = { id, type: "function", function: { name: "tool0", arguments: `{"n":${n}}` } };
  return [
    { role: "user", content: `Prompt ${n}. ${filler(sizes.prompt, n)}` },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: `Result ${n}. ${filler(sizes.result, n + 7)}` },
    { role: "assistant", content: `Answer ${n}. ${filler(200, n + 3)}` },
  ];
}

const SHAPES: Record<string, { prompt: number; result: number }> = {
  "many small turns": { prompt: 300, result: 700 },
  // Where one request brings much more than this, a cut leaves room for the next six instead.
  "large tool outputs": { prompt: 100, result: 8000 },
  "long prompts": { prompt: 9000, result: 500 },
  "even ones": { prompt: 2500, result: 2500 },
};

it.each(Object.entries(SHAPES))(
  "P24 X40 %s: the request fits, keeps what it can, and nothing that must stay is touched",
  async (name, sizes) => {
    const server = await startModelServer({ script: () => text("Understood.") });
    const env = { EVERLONG_PROXY_WINDOWS: `*: ${WINDOW}`, EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000" };
    const gateway = await openInProcess(server, env);
    onTestFinished(async () => {
      await gateway.close();
      await server.close();
    });
    for (const size of SIZES) {
      const messages: Message[] = [SYSTEM];
      for (let n = 0, length = 0; length < size; n++) {
        const next = turn(n, sizes);
        length += JSON.stringify(next).length;
        messages.push(...next);
      }
      const prompt = { role: "user", content: `The newest prompt of ${name}, ${size}.` };
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": "opencode/1.18.0",
          "x-session-id": `${name}-${size}`,
        },
        body: JSON.stringify({ model: "gpt-5", messages: [...messages, prompt], tools: TOOLS }),
      });
      await response.text();
      expect(response.status).toBe(200);
      const [came, sent] = ["tokens-in", "tokens-sent"].map((field) =>
        Number(response.headers.get(`x-everlong-${field}`)),
      );
      expect(sent, `${size} bytes`).toBeLessThanOrEqual(USABLE);
      if ((came ?? 0) > USABLE) expect(sent, `${size} bytes`).toBeGreaterThanOrEqual(0.8 * LOW);
      const body = JSON.parse(server.requests.at(-1)?.rawBody ?? "{}") as { messages: Message[]; tools: unknown };
      expect(body.tools).toEqual(TOOLS);
      expect(body.messages[0]).toEqual(SYSTEM);
      expect(body.messages[1]).toMatchObject({ role: "user", content: expect.stringContaining("Prompt 0.") });
      expect(body.messages.findLast(({ role }) => role === "user")?.["content"]).toContain(prompt.content);
    }
    expect(server.rejected).toEqual([]);
  },
);
