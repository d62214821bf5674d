// Stored sessions with agents: exports, lists, refs and recall show the main conversation, not the agents' own.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { bash, onlySession } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { run } from "../tool/everlong.ts";
import { cast, task } from "./cast.ts";

async function stored() {
  const made = await cast(
    [
      calls([bash("echo main-output"), task("CHILD please zwieback", { name: "child" })], { text: "main thinks" }),
      text("main is done"),
      text("and again"),
    ],
    {
      CHILD: [
        calls([bash("echo inner-output"), { name: "create", args: { path: "made.txt", file_text: "x" } }], {
          text: "inner thought about quokkas",
        }),
        text("child result"),
      ],
    },
  );
  const done = await run(made.place, ["-p", "first question", "--allow-all"]);
  expect(done.code, done.stderr).toBe(0);
  return { ...made, id: onlySession(made.place) };
}

describe("O71 exports", () => {
  it("O71 md and html show that the agent ran, and nothing that it said or did as the main agent's", async () => {
    const { place, id } = await stored();
    for (const format of ["md", "html"]) {
      const file = join(place.folder, `out.${format}`);
      const done = await run(place, ["--resume", id, "-p", `/export ${format} ${file}`]);
      expect(done.code, done.stderr).toBe(0);
      const written = readFileSync(file, "utf8");
      for (const own of ["first question", "main thinks", "main-output", "child result", "main is done"])
        expect(written, own).toContain(own);
      for (const inner of ["inner thought", "inner-output", "file_text"]) expect(written, inner).not.toContain(inner);
      expect(written.split("User (t").length - 1).toBe(1);
      expect(written).toMatch(/Agent child started[\s\S]*Agent child completed/);
    }
  });

  it("O71 jsonl and json hold everything, each event with its agent", async () => {
    const { place, id } = await stored();
    const file = join(place.folder, "out.jsonl");
    await run(place, ["--resume", id, "-p", `/export jsonl ${file}`]);
    const events = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const inner = events.filter((e) => JSON.stringify(e.data).includes("quokkas"));
    expect(inner.length).toBeGreaterThan(0);
    for (const event of inner) expect(event.agentId).toBe("child");
  });
});

describe("O71 lists and recall", () => {
  it("O71 refs name the main conversation only, and what an agent said is not found as said there", async () => {
    const { place, id } = await stored();
    const refs = ["t1.1", "t1.2", "t1.3", "t1.4", "t1.5"];
    const texts = await Promise.all(refs.map(async (ref) => (await run(place, ["recall", `${id}:${ref}`])).stdout));
    expect(texts[0]).toContain("first question");
    expect(texts[1]).toContain("main thinks");
    expect(texts[2]).toContain("main-output");
    expect(texts[3]).toContain("child result");
    expect(texts[4]).toContain("main is done");
    expect((await run(place, ["recall", `${id}:t1.6`])).code).toBe(1);
    expect((await run(place, ["recall", "quokkas"])).stdout).not.toContain("inner thought");
    expect((await run(place, ["sessions", "search", "quokkas"])).stdout).not.toContain("inner thought");
    // What the main agent itself asked for is found.
    expect((await run(place, ["recall", "zwieback"])).stdout).toContain("zwieback");
    const rebuilt = await run(place, ["sessions", "reindex"]);
    expect(rebuilt.code, rebuilt.stderr).toBe(0);
    expect((await run(place, ["recall", `${id}:t1.4`])).stdout).toContain("child result");
  });

  it("O71 the next prompt is t2; /session counts prompts of the user, and files and usage of everybody", async () => {
    const { place, id } = await stored();
    await run(place, ["--resume", id, "-p", "second question"]);
    expect((await run(place, ["recall", `${id}:t2.1`])).stdout).toContain("second question");
    const session = (await run(place, ["--resume", id, "-p", "/session"])).stdout;
    expect(session).toContain("Prompts: 2");
    expect(session).toContain("Files changed: 1");
    expect(session).toContain("Name: first question");
    expect((await run(place, ["--resume", id, "-p", "/session files"])).stdout).toContain("made.txt");
    const db = new DatabaseSync(join(place.home, "store.db"), { readOnly: true });
    const calls = db
      .prepare("SELECT agent_id, count(*) AS n FROM model_calls GROUP BY agent_id ORDER BY agent_id")
      .all();
    db.close();
    expect(calls.map((row) => [row["agent_id"], row["n"]])).toEqual([
      [null, 3],
      ["child", 2],
    ]);
    const listed = (await run(place, ["sessions", "list"])).stdout;
    expect(listed).toContain("first question");
    expect(listed).not.toContain("CHILD");
    const shown = (await run(place, ["sessions", "show", id])).stdout;
    expect(shown).not.toContain("inner thought");
  });
});
