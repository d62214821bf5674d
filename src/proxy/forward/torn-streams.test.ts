// P19: streams of all four wires, cut at every event's edge and a byte beside it, never look whole to the client.
import { afterEach, describe, expect, it } from "vitest";
import { text } from "../../../test/model-server/reply.ts";
import { startModelServer } from "../../../test/model-server/server.ts";
import type { WireName } from "../../schema/model.ts";
import { closeAll, get, rawUpstream, sending } from "./forward-fixture.ts";

afterEach(closeAll);

const REQUESTS: Record<WireName, { path: string; body: object }> = {
  "openai-chat": {
    path: "/v1/chat/completions",
    body: { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] },
  },
  "openai-responses": { path: "/v1/responses", body: { model: "m", stream: true, input: "hi" } },
  anthropic: {
    path: "/v1/messages",
    body: { model: "m", stream: true, max_tokens: 9, messages: [{ role: "user", content: "hi" }] },
  },
  gemini: {
    path: "/v1beta/models/m:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
  },
};
/** From here on a wire's stream says that it is over. */
const TERMINAL: Record<WireName, RegExp> = {
  "openai-chat": /"finish_reason":"[^}]*\}[^\n]*\n/,
  "openai-responses": /"type":"response\.completed"[^\n]*\n/,
  anthropic: /"type":"message_stop"[^\n]*\n/,
  gemini: /"finishReason":"[^\n]*\n/,
};

describe.each(Object.keys(REQUESTS) as WireName[])("%s", (wire) => {
  it("P19 is reset at each of 200 cuts before the terminal event, whole after it", async () => {
    const { path, body } = REQUESTS[wire];
    const server = await startModelServer({ script: [text("x".repeat(70), { chunk: 1 })] });
    const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
    const recorded = await get(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    await server.close();
    const stream = recorded.body.toString();
    const over = TERMINAL[wire].exec(stream);
    const terminal = (over?.index ?? Number.NaN) + (over?.[0].length ?? 0);

    const cuts: number[] = [];
    for (let at = stream.indexOf("\n\n"); at !== -1; at = stream.indexOf("\n\n", at + 2))
      cuts.push(at + 1, at + 2, at + 3);
    expect(cuts.length).toBeGreaterThanOrEqual(200);

    const origin = await rawUpstream((socket, head) => {
      const cut = Number(/ \/(\d+) /.exec(head)?.[1]);
      socket.end(
        `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${stream.slice(0, cut)}`,
      );
    });
    const { url } = await sending(origin, { wire, recognise: { promptLimit: 1000 } });
    const outcome = (cut: number) =>
      get(`${url}/${cut}`, { method: "POST" }).then(
        ({ broken }) => (broken === undefined ? "whole" : "reset"),
        () => "reset",
      );
    const outcomes: string[] = [];
    for (let at = 0; at < cuts.length; at += 20)
      outcomes.push(...(await Promise.all(cuts.slice(at, at + 20).map(outcome))));
    expect(outcomes).toEqual(cuts.map((cut) => (cut >= terminal ? "whole" : "reset")));
    expect(outcomes).toContain("whole");
  });
});
