// No account, no server, no network: the offline model answers with evidence, the same bytes each time.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { logOf, newPlace, only, type Place, run } from "../tool/everlong.ts";
import { runWithoutNetwork } from "./no-network.ts";

const namespaces = spawnSync("unshare", ["-n", "true"]).status === 0;

function repository(): Place {
  const place = newPlace();
  mkdirSync(join(place.folder, "src"));
  writeFileSync(
    join(place.folder, "src", "config.ts"),
    "// Reads settings.\nexport function parseConfig(text: string) {\n  return JSON.parse(text);\n}\n",
  );
  writeFileSync(
    join(place.folder, "src", "main.ts"),
    'import { parseConfig } from "./config.ts";\nparseConfig("{}");\n',
  );
  writeFileSync(join(place.folder, "README.md"), "# A small program\n");
  return place;
}

const ask = (place: Place, question: string) =>
  namespaces ? runWithoutNetwork(place, ["-p", question]) : run(place, ["-p", question]);

describe("the first things a person tries", () => {
  it("N44 a greeting gets an answer without a search, and text on stdin is quoted first", async () => {
    const place = repository();
    const hello = await run(place, ["-p", "hello"]);
    expect(hello.code, hello.stderr).toBe(0);
    expect(hello.stdout).toMatch(/^Hello! .*\n\nThings to ask:/);
    expect(only(logOf(place), "tool.execution_start")).toEqual([]);
    const log = `${"step done\n".repeat(5000)}ValueError: parseConfig got a plum\n`;
    const failed = await run(place, ["-p", "what failed?"], { stdin: log });
    expect(failed.code, failed.stderr).toBe(0);
    expect(failed.stdout).toMatch(/^From the text on stdin:\n\nstdin:5001\n```\nValueError: parseConfig got a plum\n/);
  });
});

describe("AE1 a fresh home without network", () => {
  it("AE1 a question about the code is answered with a quote, its path and line, and the offline line", async () => {
    const question = "where is parseConfig defined?";
    const first = await ask(repository(), question);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toContain("src/config.ts:2");
    expect(first.stdout).toContain("export function parseConfig(text: string) {");
    expect(first.stdout.trimEnd().split("\n").at(-1)).toMatch(/^\[offline model\].*does not reason.*OPENAI_API_KEY/);
    const second = await ask(repository(), question);
    expect(second.stdout).toBe(first.stdout);
  });

  it("AE1 a question about nothing there says so, with where it looked, exit 0", async () => {
    const question = "where is frobnicateZebra defined?";
    const first = await ask(repository(), question);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toMatch(/found nothing/);
    expect(first.stdout).toMatch(/Looked in:/);
    const second = await ask(repository(), question);
    expect(second.stdout).toBe(first.stdout);
  });

  it("A3.2 events and JSON name the offline model, and the choice has its reason", async () => {
    const place = repository();
    const done = await run(place, ["-p", "what does parseConfig do?", "--output-format", "json"]);
    expect(done.json).toMatchObject({ success: true, model: "offline" });
    const [start] = only(logOf(place), "session.start");
    expect(start?.data.model).toBe("offline");
    expect(start?.data.modelReason).toContain("no provider is configured");
    expect(only(logOf(place), "assistant.message").every((e) => e.data.model === "offline")).toBe(true);
  });
});
