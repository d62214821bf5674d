// RE1 RE2 RE5: what was said is found again, through the tool and from the command line.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { oneCall, scene, toolResults } from "../agent/scene.ts";
import { converse, stage } from "../context/stage.ts";
import { calls, text } from "../model-server/reply.ts";
import { only, type Place, run, sessionsOf } from "../tool/everlong.ts";

const LONG = `${"Plain words about nothing in particular. ".repeat(80)}The vault code is marzipan-77. ${"More of the same. ".repeat(60)}`;

type Result = { ref: string; score: number; parts: Record<string, number>; snippets: { text: string }[] };
const results = async (place: Place, ...args: string[]): Promise<Result[]> => {
  const done = await run(place, ["recall", ...args, "--json"]);
  expect(done.code, done.stderr).toBe(0);
  return (done.json["results"] ?? JSON.parse(done.stdout).results) as Result[];
};

describe("RE1 found again", () => {
  it("RE1 R2 R5 R13 R14 after a compaction the tool finds a far word, a path by its name, a Japanese phrase, a name in another case", async () => {
    const queries = ["vault code", "login.ts", "猫の名前", "loadUserById"];
    const asked = (request: { rawBody: string }) => request.rawBody.includes("NOW-RECALL");
    const { place, mains } = await stage(
      (request) => {
        if (!asked(request)) return text("noted");
        return toolResults(request as never).some((r) => r.id === "q0")
          ? text("done")
          : calls(queries.map((query, i) => ({ id: `q${i}`, name: "recall", args: { query } })));
      },
      { limit: 24_000, env: { EVERLONG_RECALL_TIMEOUT_MS: "20000" } },
    );
    const { say, client } = await converse(place);
    await say(LONG);
    await say("the handler lives in src/auth/login.ts");
    await say("うちの猫の名前はムギです");
    await say("load_user_by_id returns null for guests");
    await client.history.compact("");
    await say("NOW-RECALL");
    const found = toolResults(mains().at(-1)).map((r) => r.text);
    const wanted = [
      /\[t1\.1\][^[]*marzipan-77/s,
      /\[t2\.1\][^[]*src\/auth\/login\.ts/s,
      /\[t3\.1\][^[]*ムギ/s,
      /\[t4\.1\][^[]*load_user_by_id/s,
    ];
    for (const [i, pattern] of wanted.entries()) expect(found[i], queries[i]).toMatch(pattern);
    await client.close({ shutdownType: "routine", exitCode: 0 } as never);
    const explained = await run(place, ["recall", "vault", "code", "--explain"]);
    expect(explained.stdout).toMatch(/stem vault: in \d+/);
    for (const r of await results(place, "vault", "code", "--explain"))
      expect(Object.values(r.parts).reduce((a, b) => a + b, 0)).toBeCloseTo(r.score, 6);
  });

  it("R4 R1 the tool's own words are not stored; calls are, and session_store_sql reads the plain channel", async () => {
    const { place, server } = await scene([
      oneCall("recall", { query: "xylophone" }, "r"),
      oneCall("bash", { command: "echo bassoon", description: "x" }, "b"),
      oneCall(
        "session_store_sql",
        { query: "SELECT source_type, source_id FROM search_index WHERE search_index MATCH 'bassoon'" },
        "s",
      ),
      text("ok"),
    ]);
    await run(place, ["-p", "go", "--allow-all"]);
    await run(place, ["sessions"]);
    expect((await run(place, ["recall", "xylophone"])).stdout).toContain("No matches");
    const found = (await results(place, "bassoon")).map((r) => r.ref);
    expect(found.slice(0, 2).sort()).toEqual(["t1", "t1.5"]);
    server.script(
      oneCall(
        "session_store_sql",
        {
          query:
            "SELECT source_type, source_id FROM search_index WHERE search_index MATCH 'bassoon' ORDER BY source_id",
        },
        "z",
      ),
      text("ok"),
    );
    await run(place, ["-p", "again"]);
    expect(toolResults(server.requests.at(-1)).find((r) => r.id === "z")?.text).toMatch(/tool.*t1[\s\S]*tool.*t1\.5/);
  });

  it("R55 recall.enabled=false: no tool, no index, no search", async () => {
    const { place, server } = await scene([text("ok")], { env: { EVERLONG_RECALL: "off" } });
    await run(place, ["-p", "hidden words"]);
    expect(server.requests.at(-1)?.rawBody).not.toContain('"name":"recall"');
    expect((await run(place, ["recall", "hidden"])).code).toBe(2);
    expect(await results({ ...place, env: { ...place.env, EVERLONG_RECALL: "on" } }, "hidden")).toEqual([]);
  });
});

describe("RE2 R34 R35 from the command line", () => {
  it("RE2 five events over three sessions come in their order, in pages; bounds, kinds, around and scopes hold", async () => {
    const { place } = await scene(() => text("fine"));
    for (const prompts of [
      ["event one began", "event two went on"],
      ["event three turned"],
      ["event four rose", "event five ended"],
    ]) {
      for (const [i, prompt] of prompts.entries()) {
        const more = i === 0 ? [] : ["--continue"];
        expect((await run(place, [...more, "-p", prompt])).code).toBe(0);
      }
    }
    const texts = (found: Result[]) => found.map((r) => r.snippets[0]?.text);
    const all = ["event one began", "event two went on", "event three turned", "event four rose", "event five ended"];
    expect(texts(await results(place, "event", "--order", "time", "--role", "user"))).toEqual(all);
    const page = await run(place, ["recall", "event", "--order", "time", "--role", "user", "--limit", "3", "--json"]);
    const { cursor } = JSON.parse(page.stdout) as { cursor: string };
    expect(texts(await results(place, "event", "--order", "time", "--role", "user", "--cursor", cursor))).toEqual(
      all.slice(3),
    );
    expect(texts(await results(place, "--since", "1h", "--order", "time", "--role", "user"))).toEqual(all);
    expect(await results(place, "event", "--until", "2020-01-01")).toEqual([]);
    expect(await results(place, "event", "--as-of", "2020-01-01")).toEqual([]);
    expect(await results(place, "event", "--kind", "tool")).toEqual([]);
    const around = await run(place, ["recall", "--around", "t1", "--window", "1"]);
    expect(around.stdout).toMatch(/four rose[\s\S]*five ended/);
    const [first = ""] = sessionsOf(place);
    const scoped = await run(place, ["recall", "event", "--session", first, "--full"]);
    expect(scoped.stdout).toContain("two went on");
    expect(scoped.stdout).not.toContain("five ended");
    const elsewhere = await run(place, ["recall", "event", "--scope", "all"], { cwd: "/" });
    expect(elsewhere.stdout).toContain("five ended");
    expect((await run(place, ["recall", "event"], { cwd: "/" })).stdout).toMatch(/No matches in the sessions of \//);
  });

  it("R34 RB6 what cannot be asked exits 2; strange names match nothing", async () => {
    const { place } = await scene([text("ok")]);
    await run(place, ["-p", "anything"]);
    for (const args of [
      [],
      ["x", "--scope", "moon"],
      ["x", "--order", "size"],
      ["x", "--kind", "poem"],
      ["x", "--since", "whenever"],
      ["x", "--around", "soon"],
    ])
      expect((await run(place, ["recall", ...args])).code, args.join(" ")).toBe(2);
    for (const repo of ["a') OR 1=1--", "../../x", "r".repeat(10_000)])
      expect(await results(place, "anything", "--repo", repo)).toEqual([]);
  });

  it("R3 --reindex builds the same index; --reindex embeddings says that nobody makes vectors", async () => {
    const { place } = await scene([
      oneCall("bash", { command: "echo kettledrum", description: "x" }),
      text("a kettledrum"),
    ]);
    await run(place, ["-p", "play", "--allow-all"]);
    const before = await results(place, "kettledrum");
    expect((await run(place, ["recall", "--reindex"])).stdout).toContain("1 session");
    const strip = (r: Result[]) => r.map(({ ref, parts: { recency: _later, ...parts } }) => ({ ref, parts }));
    expect(strip(await results(place, "kettledrum"))).toEqual(strip(before));
    const env = { CLIPROXY_SEMANTIC_BASE_URL: "http://127.0.0.1:9" };
    const none = await run({ ...place, env: { ...place.env, ...env } }, ["recall", "--reindex", "embeddings"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("No embedder")]);
  });
});

describe("RE5 meanings", () => {
  it("RE5 R45 R46 vectors of an Ollama on this machine find what no word does; switched off nobody is called", async () => {
    let asked = 0;
    const ollama = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += String(chunk);
      });
      request.on("end", () => {
        asked++;
        if (request.url === "/api/tags") return void response.end('{"models":[{"name":"embeddinggemma:latest"}]}');
        const { input } = JSON.parse(body) as { input: string[] };
        response.end(JSON.stringify({ embeddings: input.map((t) => (/spaniel|puppy/.test(t) ? [1, 0] : [0, 1])) }));
      });
    });
    await new Promise<void>((resolve) => ollama.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void ollama.close());
    const baseUrl = `http://127.0.0.1:${(ollama.address() as AddressInfo).port}`;
    const { place } = await scene(() => text("fine"), { env: { CLIPROXY_SEMANTIC_BASE_URL: baseUrl } });
    await run(place, ["-p", "we got a spaniel"]);
    await run(place, ["-p", "the invoice is paid"]);
    const off = { ...place, env: { ...place.env, CLIPROXY_SEMANTIC_ENABLED: "0" } };
    await run(off, ["recall", "puppy"]);
    expect(asked).toBe(0);
    const made = await run(place, ["recall", "--reindex", "embeddings"]);
    expect(made.stdout, made.stderr).toMatch(/Embedded [1-9]\d* passages with ollama:embeddinggemma/);
    // A search waits 150 ms for the question's vector, and goes on without it on a busy machine.
    const best = async () => (await results(place, "puppy"))[0];
    await expect.poll(async () => (await best())?.snippets[0]?.text).toContain("spaniel");
    await expect.poll(async () => (await best())?.parts["vector"]).toBeGreaterThan(0);
    const before = asked;
    await run(off, ["recall", "puppy"]);
    expect(asked).toBe(before);
  });
});

it("R44 a search of the tool is told, without its text", async () => {
  const { place } = await scene([oneCall("recall", { query: "anything at all" }), text("ok")]);
  const done = await run(place, ["-p", "go", "--output-format", "stream-json"]);
  const [told] = only(done.events, "recall.completed");
  expect(told?.data).toMatchObject({ caller: "agent", scope: "auto", partial: false });
  expect(JSON.stringify(told?.data)).not.toContain("anything");
});
