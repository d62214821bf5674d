// Asks the offline model the questions of questions.json, with the real tools on real folders, and counts what it answers.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createOwner } from "../../../src/host/process.ts";
import { ask, quotesOf, type ToolRun } from "../../../src/model/offline/offline-fixture.ts";
import { globTool } from "../../../src/tool/builtin/glob.ts";
import { grepTool } from "../../../src/tool/builtin/grep.ts";
import { viewTool } from "../../../src/tool/builtin/view.ts";
import type { Tool, ToolContext } from "../../../src/tool/contract.ts";
import { createLedger } from "../../../src/tool/ledger.ts";
import { validateCall } from "../../../src/tool/validate.ts";

/** A prompt and where the answer is: `path`, `path:line` or `folder/`, several with `|`. */
export type Case = [prompt: string, expected: string];
export type Questions = Record<string, Record<string, Case[]>>;
export type Miss = { repository: string; prompt: string; expected: string; sources: string[] };

const here = join(process.cwd(), "test", "eval", "offline");
const FIRST_QUOTES = 3;

export const questions = (): Questions => JSON.parse(readFileSync(join(here, "questions.json"), "utf8"));

/** The share of the questions whose expected place is among the first three quotes, and the questions where it is not. */
export async function evaluate(
  cases: Record<string, Case[]>,
): Promise<{ share: number; count: number; missed: Miss[] }> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "everlong-offline-")));
  const owner = createOwner({ runId: `offline-eval-${process.pid}` });
  const missed: Miss[] = [];
  let count = 0;
  try {
    for (const [repository, asked] of Object.entries(cases)) {
      const folder = repository === "everlong" ? process.cwd() : unpack(repository, join(base, repository));
      const tools = realTools(folder, base, owner);
      for (const [prompt, expected] of asked) {
        count++;
        const sources = quotesOf((await ask(prompt, { tools })).text).map(({ source }) => source);
        if (!sources.slice(0, FIRST_QUOTES).some((source) => isAt(source, expected)))
          missed.push({ repository, prompt, expected, sources });
      }
    }
  } finally {
    await owner.end(500);
    rmSync(base, { recursive: true, force: true });
  }
  return { share: (count - missed.length) / count, count, missed };
}

/** Writes the files of a repository that is kept as one text, each behind a line with its path. */
export function unpack(name: string, folder: string): string {
  const parts = readFileSync(join(here, `${name}.txt`), "utf8").split(/^=== (.+)\n/m);
  for (let at = 1; at < parts.length; at += 2) {
    const path = join(folder, parts[at] ?? "");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, parts[at + 1] ?? "");
  }
  return folder;
}

/** A quote may begin at the comment above the line, so the line may stand up to three below. */
function isAt(source: string, expected: string): boolean {
  const [, path = source, line] = /^(.*):(\d+)$/.exec(source) ?? [];
  return expected.split("|").some((place) => {
    const [, file = place, wanted] = /^(.*):(\d+)$/.exec(place) ?? [];
    if (file.endsWith("/")) return path.startsWith(file);
    const below = Number(wanted) - Number(line);
    return path === file && (wanted === undefined || (below >= 0 && below <= 3));
  });
}

function realTools(folder: string, sessionDir: string, owner: ReturnType<typeof createOwner>): Record<string, ToolRun> {
  const context: ToolContext = {
    sessionId: "s1",
    toolCallId: "call_1",
    cwd: folder,
    root: folder,
    sessionDir,
    mode: "interactive",
    signal: new AbortController().signal,
    partial: () => undefined,
    progress: () => undefined,
    takesImages: false,
    allowedPath: (path) => path.startsWith(folder),
  };
  const parts = { owner, env: () => ({ PATH: "/usr/local/bin:/usr/bin:/bin" }) };
  const view = viewTool({ ledger: createLedger(), settings: { outputMaxBytes: 20_480 }, images: () => false });
  const run =
    (tool: Tool): ToolRun =>
    async (args) => {
      const checked = validateCall([tool], tool.name, args);
      if (!checked.ok) throw new Error(checked.error.message);
      const outcome = await tool.run(checked.value.input, context);
      return outcome.type === "success" ? { content: outcome.text } : { content: outcome.message, isError: true };
    };
  return { grep: run(grepTool(parts)), glob: run(globTool(parts)), view: run(view) };
}
