// P30: nothing leaves the machine beyond the model that was chosen; the default agent reaches nobody.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { newPlace, type Place, placeFor, run } from "../tool/everlong.ts";
import { lacks } from "../tool/fault-tool.ts";
import { traced } from "../tool/trace.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

function repository(env: Record<string, string> = {}): Place {
  const place = newPlace(env);
  writeFileSync(
    join(place.folder, "config.ts"),
    "export function parseConfig(text: string) {\n  return JSON.parse(text);\n}\n",
  );
  return place;
}

const OLLAMA = "127.0.0.1:9";

describe.skipIf(lacks("strace"))("P30 nothing leaves", () => {
  it("P30 the offline model: no connection, no look-up, no listening socket", async () => {
    const place = repository({ EVERLONG_MODEL: "offline" });
    const { finished, reached, listened } = await traced(place, ["-p", "where is parseConfig defined?"]);
    expect(finished.code, finished.stderr).toBe(0);
    expect(finished.stdout).toContain("config.ts:1");
    expect([reached, listened]).toEqual([[], []]);
  });

  it("P30 A2.2 the default agent: nothing but the question whether an Ollama answers on loopback", async () => {
    const { finished, reached, listened } = await traced(repository(), ["-p", "where is parseConfig defined?"]);
    expect(finished.code, finished.stderr).toBe(0);
    expect(reached.filter((address) => address !== OLLAMA)).toEqual([]);
    expect(listened).toEqual([]);
  });

  it("P30 commands beside the agent reach nobody", async () => {
    const place = repository({ OPENAI_API_KEY: "sk-unused-0123456789abcdef" });
    for (const args of [["sessions"], ["settings"], ["trust", "--list"], ["recall", "anything"], ["--help"]]) {
      const { reached, listened } = await traced(place, args);
      expect([reached, listened], args.join(" ")).toEqual([[], []]);
    }
  });

  it("P30 an agent with a model: that address alone, with tools at work and other keys in the environment", async () => {
    server = await startModelServer();
    const args = { command: "ls; git --version; cat config.ts", description: "x" };
    server.script(
      calls([
        { name: "bash", args },
        { name: "grep", args: { pattern: "parse" } },
      ]),
      text("done"),
    );
    const place = placeFor(server, {
      OPENAI_API_KEY: "sk-other-0123456789abcdef",
      ANTHROPIC_API_KEY: "sk-ant-other-0123456789",
    });
    const { finished, reached, listened } = await traced(place, ["-p", "go", "--allow-all"]);
    expect(finished.code, finished.stderr).toBe(0);
    expect([...new Set(reached)]).toEqual([new URL(server.url).host]);
    expect(listened).toEqual([]);
    expect(JSON.stringify(server.requests.map((r) => [r.headers, r.rawBody]))).not.toContain("other-0123456789");
  });

  it("T4 a build that calls home is seen", async () => {
    const bin = brokenCopy(/^/, "fetch('http://127.0.0.1:4567').catch(() => 0);");
    const { reached } = await traced({ ...repository({ EVERLONG_MODEL: "offline" }), bin }, ["sessions"]);
    expect(reached).toContain("127.0.0.1:4567");
  });
});

it.skipIf(lacks("unshare"))("P30 AE1 without any network the default agent answers, twice the same", async () => {
  const answers: string[] = [];
  for (let n = 0; n < 2; n++) {
    const done = await run(repository(), ["-p", "where is parseConfig defined?"], { under: ["unshare", "-rn"] });
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toContain("config.ts:1");
    answers.push(done.stdout);
  }
  expect(answers[0]).toBe(answers[1]);
});
