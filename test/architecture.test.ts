// Who may import whom: the table of docs/architecture.md, held by reading every import in src/.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";

const src = join(import.meta.dirname, "..", "src");

const ground = ["base", "schema"];
const machine = [...ground, "settings"];
const abilities = [...machine, "host", "store", "model", "permission"];
const shaping = [...abilities, "hook", "tool", "context"];
const lasting = [...shaping, "memory", "mcp"];
const table: Record<string, string[]> = {
  base: [],
  schema: ["base"],
  settings: ground,
  host: machine,
  model: machine,
  store: [...machine, "host"],
  permission: [...machine, "host"],
  hook: abilities,
  tool: abilities,
  context: abilities,
  memory: shaping,
  mcp: shaping,
  session: lasting,
  agent: [...lasting, "session"],
  proxy: [...machine, "store", "model", "context", "memory", "permission"],
  server: [...lasting, "proxy", "runtime/client"],
  runtime: [...lasting, "session", "agent", "proxy", "server"],
  command: [...machine, "runtime/client"],
  cli: [...ground, "command", "runtime/client"],
  tui: [...ground, "command", "runtime/client"],
  "main.ts": ["cli", "tui"],
};

type Import = { from: string; to: string };

function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)) {
    found.push({ from: file, to: posix.normalize(posix.join(posix.dirname(file), path!)) });
  }
  return found;
}

const roomOf = (file: string): string => (file.includes("/") ? file.slice(0, file.indexOf("/")) : file);

function violation({ from, to }: Import): string | undefined {
  const room = roomOf(from);
  const target = roomOf(to);
  if (room === target) return undefined;
  const allowed = table[room];
  if (!allowed) return `${from}: ${room} is not a room`;
  // `runtime/client` is its file, and the folder of what that file offers.
  const ok = allowed.some((a) => (a.includes("/") ? to === `${a}.ts` || to.startsWith(`${a}/`) : a === target));
  return ok ? undefined : `${from} imports ${to}: ${room} may not import ${target}`;
}

const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
  .map((f) => f.replaceAll("\\", "/"))
  .filter((f) => f.endsWith(".ts") && !f.endsWith(".d.ts"));
const read = (file: string) => readFileSync(join(src, file), "utf8");

describe("architecture", () => {
  it("keeps the import table", () => {
    const broken = sources
      .filter((f) => !f.endsWith(".test.ts"))
      .flatMap((f) => importsOf(f, read(f)))
      .map(violation)
      .filter(Boolean);
    expect(broken).toEqual([]);
  });

  it("can fail: a planted violation of each kind is found", () => {
    const planted: [string, string][] = [
      ["base/id.ts", 'import { x } from "../schema/tool.ts";'],
      ["memory/recall/rank.ts", 'import type { S } from "../../session/log.ts";'],
      ["context/pipeline.ts", 'const s = await import("../session/run.ts");'],
      ["tui/view/help.ts", 'import { r } from "../../runtime/open.ts";'],
      ["cli/main.ts", 'import { l } from "../session/log.ts";'],
      ["cli/prompt-mode.ts", 'import { r } from "../runtime/crash.ts";'],
      ["cli/main.ts", 'import { s } from "../settings/table.ts";'],
      ["command/board.ts", 'const b = await import("../runtime/board/access.ts");'],
      ["command/memory/text.ts", 'import type { R } from "../../memory/record/contract.ts";'],
      ["command/table.ts", 'import { EXIT } from "../cli/exit.ts";'],
      ["runtime/board/access.ts", 'import { said } from "../../command/contract.ts";'],
      ["helper/x.ts", 'import { l } from "../base/id.ts";'],
    ];
    for (const [file, text] of planted) expect(importsOf(file, text).map(violation)[0], file).toBeTypeOf("string");
    for (const door of ["client.ts", "client/board.ts"])
      expect(importsOf("tui/x.ts", `import { c } from "../runtime/${door}";`).map(violation)).toEqual([undefined]);
  });

  it("C3 what shapes a history is written once: groups, boundary, truncation, shortening, repair of orphans", () => {
    const once = ["groups", "safeCuts", "boundaryAt", "truncate", "shortenText", "shortenItem", "repair"];
    const makers = (name: string, files: readonly [string, string][]): string[] =>
      files
        .filter(([, text]) => new RegExp(`export (?:async )?(?:function|const) ${name}\\b`).test(text))
        .map(([file]) => file);
    const files = sources.filter((f) => !f.endsWith(".test.ts")).map((f): [string, string] => [f, read(f)]);
    for (const name of once) expect([name, makers(name, files).length]).toEqual([name, 1]);
    expect(makers("groups", [...files, ["proxy/plan/mine.ts", "export function groups(items) {}"]])).toHaveLength(2);
  });

  it("asks for no wire by its name outside of model/wire/: not in a comparison, a case or a table", () => {
    const asks = /(?:[!=]==\s*|case )["'](?:openai-chat|openai-responses|anthropic|gemini)["']|Record<WireName\b/;
    const askers = (files: readonly [string, string][]): string[] =>
      files.filter(([file, text]) => !file.startsWith("model/wire/") && asks.test(text)).map(([file]) => file);
    const files = sources.filter((f) => !/test\.ts$|fixture/.test(f)).map((f): [string, string] => [f, read(f)]);
    expect(askers(files)).toEqual([]);
    const planted = ['if (wire === "gemini") {}', 'case "anthropic":', "const t: Record<WireName, string> = {}"];
    for (const text of planted) expect(askers([["proxy/plan/mine.ts", text]]), text).toHaveLength(1);
  });

  it("keeps every file readable: none passes 300 lines, each says first what it is for", () => {
    for (const file of sources.filter((f) => !f.endsWith(".test.ts"))) {
      const lines = read(file).split("\n");
      expect(lines.length, `${file} is too long: look for the second idea in it`).toBeLessThanOrEqual(301);
      expect(lines[0], `${file} must begin with a comment that says what it is for`).toMatch(/^\/\//);
    }
  });
});
