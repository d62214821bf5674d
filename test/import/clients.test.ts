// Homes that real clients left: looked at, imported, imported again, found under their repository with file and line.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, sessionsOf } from "../tool/everlong.ts";
import { FIXTURES, type Fixture, filesOf, fixtures, importStage, placeFixture, printOf, setBack } from "./stage.ts";

type Hit = {
  role: string;
  source: { client: string; file: string; line: number | string; session: string };
  snippets: { text: string }[];
};

/** Two prompts and a command; cline goes on in a terminal only, and an older Claude Code copied a session to go on with it. */
function amountsOf({ client, version }: Fixture): { prompts: number; tools: number } {
  // The scripted model knows the tools of newer ones.
  if (client === "codex" && version === "0.73.0") return { prompts: 2, tools: 0 };
  if (client === "cline") return { prompts: 1, tools: 1 };
  return client === "claude" && version.startsWith("1.") ? { prompts: 3, tools: 2 } : { prompts: 2, tools: 1 };
}

describe.each(fixtures.map((fixture) => ({ ...fixture })))("$client $version", (fixture) => {
  const { client } = fixture;
  const { prompts, tools } = amountsOf(fixture);
  /** Databases and whole documents do not grow by lines. */
  const hasLines = filesOf(join(FIXTURES, client, fixture.version)).some((path) => path.endsWith(".jsonl"));

  it("RE15 IM1 IM4 IM6 RI16 dry run, run, rerun; the history is found by repository, file and line; secrets are out; sources are untouched", async () => {
    const stage = importStage();
    placeFixture(fixture, stage);
    const { place, home } = stage;
    const before = printOf(home);

    const dry = await run(place, ["import", client, "--dry-run", "--json"]);
    expect(dry.code, dry.stderr).toBe(0);
    expect(sessionsOf(place)).toEqual([]);
    const first = await run(place, ["import", client, "--json"]);
    expect(first.code, first.stderr).toBe(0);
    expect(first.json).toEqual(dry.json);
    expect(first.json).toMatchObject({
      client,
      turns: { seen: prompts, added: prompts },
      tools: { seen: tools, added: tools },
      badLines: 0,
      redactions: { "aws-key-id": expect.any(Number) },
    });
    const again = await run(place, ["import", client, "--json"]);
    expect(again.json).toMatchObject({
      sessions: { added: 0 },
      turns: { seen: prompts, added: 0 },
      items: { added: 0 },
    });

    const recall = await run(place, ["recall", "why did we drop redis", "--json"]);
    const { results } = recall.json as { results: Hit[] };
    const said = results.find(({ role }) => role === "user");
    expect(said?.snippets[0]?.text).toContain("failover lost writes");
    expect(said?.source).toMatchObject({ client, session: expect.stringMatching(new RegExp(`^imp_${client}_`)) });
    expect(said?.source.file.startsWith(home)).toBe(true);
    if (typeof said?.source.line === "number" && said.source.file.endsWith("jsonl"))
      expect(readFileSync(said.source.file, "utf8").split("\n")[said.source.line - 1]).toContain(
        "failover lost writes",
      );
    const text = await run(place, ["recall", "why did we drop redis"]);
    expect(text.stdout).toContain(`${said?.source.file}:${said?.source.line}`);

    for (const id of sessionsOf(place))
      expect(readFileSync(join(place.home, "sessions", id, "events.jsonl"), "utf8")).not.toContain("AKIAIOSFODNN7");
    expect(printOf(home)).toEqual(before);

    const listed = await run(place, ["sessions", "list", "--source", "import", "--json"]);
    expect(JSON.parse(listed.stdout)).toHaveLength(sessionsOf(place).length);
    expect((await run(place, ["sessions", "list"])).stdout).toContain("No sessions in this folder yet");
    const resumed = await run(place, ["--resume", said?.source.session ?? "", "-p", "go on"]);
    expect([resumed.code, resumed.stderr]).toEqual([1, expect.stringContaining("everlong recall --session imp_")]);

    const undone = await run(place, ["import", "--undo", client, "--yes"]);
    expect(undone.code, undone.stderr).toBe(0);
    expect(sessionsOf(place)).toEqual([]);
    expect((await run(place, ["recall", "why did we drop redis"])).stdout).toContain("No matches");
    expect((await run(place, ["import", client, "--json"])).json).toEqual(first.json);
  });

  it.skipIf(!hasLines)(
    "RE15 IM4 a file that grew between two imports is continued: nothing twice, nothing left out",
    async () => {
      const stage = importStage();
      placeFixture(fixture, stage);
      const { place, home } = stage;
      const grown = filesOf(home).filter((path) => path.endsWith(".jsonl"));
      const whole = new Map(grown.map((path) => [path, readFileSync(join(home, path), "utf8")]));
      for (const [path, text] of whole) {
        const lines = text.split("\n");
        // Half of the lines, and a torn one behind them.
        const half = Math.ceil(lines.length / 2);
        writeFileSync(join(home, path), `${lines.slice(0, half).join("\n")}\n${(lines[half] ?? "").slice(0, 20)}`);
        setBack(join(home, path));
      }
      const added = async (): Promise<Record<"turns" | "tools" | "items", number>> => {
        const outcome = await run(place, ["import", client, "--json"]);
        const counts = outcome.json as Record<"turns" | "tools" | "items", { added: number }> & { badLines: number };
        expect([outcome.code, counts.badLines], outcome.stderr).toEqual([0, 0]);
        return { turns: counts.turns.added, tools: counts.tools.added, items: counts.items.added };
      };
      const first = await added();
      for (const [path, text] of whole) writeFileSync(join(home, path), text);
      const second = await added();
      expect([first.turns + second.turns, first.tools + second.tools]).toEqual([prompts, tools]);
      expect(second.items).toBeGreaterThan(0);
      expect(await added()).toEqual({ turns: 0, tools: 0, items: 0 });
    },
  );
});
