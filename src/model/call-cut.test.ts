// P19: a stream cut anywhere is never taken for an answer unless the answer had arrived whole.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calls, raw } from "../../test/model-server/reply.ts";
import { type ModelServer, startModelServer } from "../../test/model-server/server.ts";
import { callModel } from "./call.ts";
import { KINDS, requestFor, targetFor, user } from "./conformance-fixture.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const CONTENT = "Here is a fairly long text that comes in very many small pieces, a letter each.";
const COMMAND = { command: "echo one && echo two && echo three" };

describe.each(Object.entries(KINDS))("P19 %s", (_name, kind) => {
  const call = () =>
    callModel(targetFor(kind, server.url), requestFor([user("q")]), {
      signal: new AbortController().signal,
      onPart: () => {},
      idleMs: 30_000,
    });

  /** The bytes of a whole answer, taken from the wire by a plain request like the one our call sends. */
  async function wholeStream(): Promise<string> {
    const answer = calls([{ name: "bash", args: COMMAND }], { text: CONTENT, chunk: 1 });
    server.script(answer, answer);
    await call();
    const { path, query, headers, rawBody } = server.requests.at(-1)!;
    const sent = { "content-type": "application/json", "anthropic-version": headers["anthropic-version"] ?? "" };
    return (await fetch(`${server.url}${path}?${query}`, { method: "POST", headers: sent, body: rawBody })).text();
  }

  it("P19 A2.8 cut at every event edge, one byte before and after: incomplete, or whole to the last word", async () => {
    const whole = await wholeStream();
    const edges = [...whole.matchAll(/\n\n/g)].flatMap(({ index }) => [index + 1, index + 2, index + 3]);
    let incomplete = 0;
    for (const edge of edges.filter((at) => at < whole.length)) {
      server.script(raw(200, { "content-type": "text/event-stream" }, whole.slice(0, edge)));
      const outcome = await call();
      if (outcome.type === "answer") {
        expect(outcome.answer.content).toBe(CONTENT);
        expect(outcome.answer.toolRequests).toMatchObject([{ name: "bash", arguments: COMMAND }]);
        continue;
      }
      incomplete += 1;
      expect(outcome).toMatchObject({ type: "failure", code: "incomplete", retryable: true });
      if (outcome.type === "failure") expect(CONTENT.startsWith(outcome.partial ?? "")).toBe(true);
    }
    expect(incomplete).toBeGreaterThan(edges.length - 12);
    expect(incomplete).toBeGreaterThanOrEqual(200);
  });
});
