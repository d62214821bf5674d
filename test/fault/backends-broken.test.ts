// Everything that a turn may ask is broken at once: the embedder, a Graphiti server and an MCP server, each in every way.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { scene, toolResults } from "../agent/scene.ts";
import { startGraphiti } from "../graphiti-client/server.ts";
import { name } from "../mcp/stage.ts";
import { startHttp } from "../mcp-server/http.ts";
import { plainServer } from "../mcp-server/plain.ts";
import { calls, text } from "../model-server/reply.ts";
import { type Chaos, startChaosProxy } from "../tool/chaos-proxy.ts";
import { run } from "../tool/everlong.ts";
import { soakCount } from "../tool/soak.ts";
import { openScreen } from "../tui/screen.ts";

/** After so many failures in a row each of them is left alone. */
const FAILURES = 3;
const TURNS = FAILURES + 2;

const ALL_MODES: Chaos[] = [
  { mode: "blackhole" },
  { mode: "reset-after", cut: 1 },
  { mode: "latency", ms: 600_000 },
  { mode: "stop-reading" },
  { mode: "half-close-after", cut: 1 },
  { mode: "swallow-after", cut: 1 },
];
const MODES = ALL_MODES.slice(0, soakCount(2, ALL_MODES.length));

/** An embedder that works. */
async function startEmbedder(): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
    response.end(JSON.stringify({ data: input.map((_, index) => ({ index, embedding: [1, 2] })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A place whose three backends are behind proxies that break as they are told. */
async function brokenPlace() {
  let chaos: Chaos = { mode: "pass" };
  const graphiti = await startGraphiti();
  const mcp = await startHttp(() => plainServer());
  onTestFinished(() => mcp.close());
  const behind = async (url: string) => {
    const proxy = await startChaosProxy(url, () => chaos);
    onTestFinished(() => proxy.close());
    return proxy;
  };
  const proxies = {
    embedder: await behind(await startEmbedder()),
    graphiti: await behind(graphiti.url),
    mcp: await behind(new URL(mcp.url).origin),
  };
  const { place, server } = await scene(
    (_request, index) => (index % 2 === 0 ? calls([echo]) : text(`Answer ${(index + 1) / 2}.`)),
    {
      env: {
        EVERLONG_RECALL_AUTO: "1",
        EVERLONG_EMBEDDER: "openai",
        EVERLONG_EMBED_BASE_URL: proxies.embedder.url,
        EVERLONG_EMBED_MODEL: "small",
        EVERLONG_GRAPHITI_ENABLED: "1",
        EVERLONG_GRAPHITI_ENDPOINT: proxies.graphiti.url,
        EVERLONG_GRAPHITI_RECALL_ENABLED: "1",
      },
    },
  );
  name(place, { far: { url: `${proxies.mcp.url}/mcp`, timeout: 2000 } });
  await run(place, ["trust"]);
  await run(place, ["consent", "grant", proxies.graphiti.url]);
  const set = (mode: Chaos): void => {
    chaos = mode;
    for (const proxy of Object.values(proxies)) proxy.drop();
  };
  return { place, server, set };
}
const echo = { name: "far-echo", args: { text: "over there" } };

const told = (rows: readonly string[], what: RegExp): number => rows.filter((row) => what.test(row)).length;

describe("PE7 everything behind it is broken", () => {
  it.each(MODES)("PE7 P18 D10 $mode: turns go on, each failure is told, after three nobody is asked", async (mode) => {
    const { place, server, set } = await brokenPlace();
    // The conversation before gives the search something to find, and the servers were well when they were met.
    expect((await run(place, ["-p", "remember that the harbour office opens at nine", "--allow-all"])).code).toBe(0);
    const screen = openScreen(place, { columns: 200, rows: 80, args: ["--plain", "--allow-all"] });
    await screen.see("far: connected");
    set(mode);
    for (let turn = 1; turn <= TURNS; turn++) {
      screen.type(`when does the harbour office open, question ${turn}\r`);
      await screen.reach(`Answer ${turn + 1}.`);
    }
    const rows = screen.all();
    expect(told(rows, /The embedder failed or was too slow/)).toBe(FAILURES);
    expect(told(rows, /The Graphiti server gave no facts/)).toBe(FAILURES);
    // What memory finds by words is there all the time.
    expect(told(rows, /^recall: \d quotes/)).toBe(TURNS);
    const results = server.requests.slice(3).filter((_, at) => at % 2 === 0);
    const answers = results.map((request) => toolResults(request).at(-1)?.text ?? "");
    expect(answers).toHaveLength(TURNS);
    for (const answer of answers) expect(answer).toMatch(/^Error \(\w+\): MCP server "far", tool "echo": /);
    // One call that only reads may be tried twice, so that the third failure may come in the second turn.
    for (const answer of answers.slice(FAILURES)) expect(answer).toContain("did not answer 3 times in a row");
    screen.type("/exit\r");
    expect(await screen.exit).toBe(0);

    set({ mode: "pass" });
    const again = await run(place, ["-p", "when does the harbour office open", "--allow-all"]);
    expect(again.code, again.stderr).toBe(0);
    expect(toolResults(server.requests.at(-1)).at(-1)?.text).toBe("over there");
    for (const command of [
      ["recall", "--reindex", "embeddings"],
      ["graph", "test"],
    ])
      expect(await run(place, command)).toMatchObject({ code: 0 });
  });
});
