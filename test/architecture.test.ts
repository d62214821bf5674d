// Who may import whom: the table of docs/architecture.md, held by reading every import in src/.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, it } from "vitest";

const src = join(import.meta.dirname, "..", "src");
const web = join(import.meta.dirname, "..", "web");

const shapes = ["base", "schema"];
const machine = [...shapes, "settings"];
const abilities = [...machine, "host", "store", "model", "permission"];
const shaping = [...abilities, "hook", "tool", "context"];
const lasting = [...shaping, "memory", "mcp"];
const table: Record<string, string[]> = {
  base: [],
  schema: ["base"],
  settings: shapes,
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
  cli: [...shapes, "command", "runtime/client"],
  tui: [...shapes, "command", "runtime/client"],
  acp: [...shapes, "command", "runtime/client"],
  "main.ts": ["cli", "tui", "acp"],
  web: shapes,
};

type Import = { from: string; to: string };

function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)) {
    const to = posix.normalize(posix.join(posix.dirname(file), path!));
    // The page stands beside src/.
    found.push({ from: file, to: file.startsWith("web/") ? to.replace(/^src\//, "") : to });
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

const everything = readdirSync(src, { recursive: true, encoding: "utf8" }).map((f) => f.replaceAll("\\", "/"));
const page = readdirSync(web, { recursive: true, encoding: "utf8" }).map((f) => `web/${f.replaceAll("\\", "/")}`);
const sources = [...everything, ...page].filter((f) => /\.tsx?$/.test(f) && !f.endsWith(".d.ts"));
const read = (file: string) => readFileSync(file.startsWith("web/") ? join(web, "..", file) : join(src, file), "utf8");

/** What a view must not import: the machine, the door to it as a value, and what does things. */
const BUSY_IMPORT = /from "node:|^import \{[^}]*\} from "[^"]*runtime\/client\.ts"|from "\.\.\/(?:effect|loop)\//m;

type SourceFile = readonly [file: string, text: string];

/** Files that import each other, however long the way is; imports of types and lazy ones are imports. Each circle sorted. */
function circles(files: readonly SourceFile[]): string[][] {
  const names = new Set(files.map(([file]) => file));
  const imports = new Map(
    files.map(([file, text]) => [
      file,
      importsOf(file, text)
        .map(({ to }) => to)
        .filter((to) => names.has(to)),
    ]),
  );
  // Tarjan: a file whose earliest reachable file is itself closes a circle.
  const order = new Map<string, number>();
  const earliest = new Map<string, number>();
  const open: string[] = [];
  const all: string[][] = [];
  const visit = (file: string): number => {
    order.set(file, order.size);
    earliest.set(file, order.get(file)!);
    open.push(file);
    for (const to of imports.get(file)!) {
      const reached = order.has(to) ? (open.includes(to) ? order.get(to)! : Infinity) : visit(to);
      earliest.set(file, Math.min(earliest.get(file)!, reached));
    }
    if (earliest.get(file) === order.get(file)) {
      const circle = open.splice(open.indexOf(file)).sort();
      if (circle.length > 1) all.push(circle);
    }
    return earliest.get(file)!;
  };
  for (const file of names) if (!order.has(file)) visit(file);
  return all;
}

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
      ["acp/update.ts", 'import type { S } from "../session/state.ts";'],
      ["acp/serve.ts", 'import { EXIT } from "../cli/exit.ts";'],
      ["cli/main.ts", 'import { l } from "../session/log.ts";'],
      ["cli/prompt-mode.ts", 'import { r } from "../runtime/crash.ts";'],
      ["cli/main.ts", 'import { s } from "../settings/table.ts";'],
      ["command/board.ts", 'const b = await import("../runtime/board/access.ts");'],
      ["command/memory/text.ts", 'import type { R } from "../../memory/record/contract.ts";'],
      ["command/table.ts", 'import { EXIT } from "../cli/exit.ts";'],
      ["runtime/board/access.ts", 'import { said } from "../../command/contract.ts";'],
      ["helper/x.ts", 'import { l } from "../base/id.ts";'],
      ["web/view/board/board.tsx", 'import { l } from "../../../src/memory/board/item.ts";'],
      ["web/main.tsx", 'import type { R } from "../src/server/manage/contract.ts";'],
    ];
    for (const [file, text] of planted) expect(importsOf(file, text).map(violation)[0], file).toBeTypeOf("string");
    for (const door of ["client.ts", "client/board.ts"])
      expect(importsOf("tui/x.ts", `import { c } from "../runtime/${door}";`).map(violation)).toEqual([undefined]);
  });

  it("F1 F2 only the terminal uses pi-tui, and no view of it touches the machine", () => {
    const piUsers = (files: readonly SourceFile[]) =>
      files
        .filter(([file, text]) => text.includes("@earendil-works/pi-tui") && roomOf(file) !== "tui")
        .map(([file]) => file);
    const busyViews = (files: readonly SourceFile[]) =>
      files
        .filter(([file, text]) => file.startsWith("tui/view/") && BUSY_IMPORT.test(text) && !file.endsWith(".test.ts"))
        .map(([file]) => file);
    const files = sources.map((file): SourceFile => [file, read(file)]);
    expect(piUsers(files)).toEqual([]);
    expect(busyViews(files)).toEqual([]);
    expect(
      piUsers([["cli/print.ts", 'import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";']]),
    ).toHaveLength(1);
    const planted = [
      'import { readFileSync } from "node:fs";',
      'import { home } from "../../runtime/client.ts";',
      'import { openPanel } from "../effect/panel.ts";',
    ];
    for (const text of planted) expect(busyViews([["tui/view/mine.ts", text]]), text).toEqual(["tui/view/mine.ts"]);
  });

  it("no file reaches itself by its imports, types and lazy ones included", () => {
    const files = sources.filter((f) => !f.endsWith(".test.ts")).map((f): SourceFile => [f, read(f)]);
    expect(circles(files)).toEqual([]);
    const type = 'import type { B } from "./b.ts";';
    const planted: SourceFile[][] = [
      [
        ["session/a.ts", type],
        ["session/b.ts", 'import { a } from "./a.ts";'],
      ],
      [
        ["session/a.ts", 'import { type B, c } from "./b.ts";'],
        ["session/b.ts", 'const { a } = await import("./a.ts");'],
      ],
      [
        ["session/a.ts", type],
        ["session/b.ts", 'export type { C } from "./deep/c.ts";'],
        ["session/deep/c.ts", 'import { x } from "../../base/id.ts";\nimport type { A } from "../a.ts";'],
      ],
    ];
    for (const circle of planted) expect(circles([...files, ...circle])).toEqual([circle.map(([file]) => file)]);
    const diamond: SourceFile[] = [
      ["session/a.ts", 'import "./b.ts";\nimport "./c.ts";'],
      ["session/b.ts", 'import "./d.ts";'],
      ["session/c.ts", 'import "./d.ts";'],
      ["session/d.ts", ""],
    ];
    expect(circles(diamond)).toEqual([]);
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

  it("asks for no built-in agent by its name: what is special about one is a field of its definition", () => {
    const names = everything.flatMap((f) => /catalog\/(.+)\.agent\.yaml$/.exec(f)?.[1] ?? []);
    // A mode and a tool have these names too.
    const agents = names.filter((name) => name !== "research" && name !== "task");
    expect(agents).toContain("rem-agent");
    const asks = new RegExp(`(?:[!=]==\\s*|case |new Set\\(\\[)["'](?:${agents.join("|")})["']`);
    const askers = (files: readonly SourceFile[]): string[] =>
      files.filter(([, text]) => asks.test(text)).map(([file]) => file);
    expect(askers(sources.filter((f) => !/test\.ts$|fixture/.test(f)).map((f): SourceFile => [f, read(f)]))).toEqual(
      [],
    );
    for (const text of ['if (agent === "rem-agent") {}', 'case "explore":', 'new Set(["code-review"])'])
      expect(askers([["runtime/agent/mine.ts", text]]), text).toHaveLength(1);
  });

  it("keeps every file readable: none passes 300 lines, each says first what it is for", () => {
    for (const file of sources.filter((f) => !f.endsWith(".test.ts"))) {
      const lines = read(file).split("\n");
      expect(lines.length, `${file} is too long: look for the second idea in it`).toBeLessThanOrEqual(301);
      expect(lines[0], `${file} must begin with a comment that says what it is for`).toMatch(/^\/\//);
    }
  });

  it('names each exported type once, no value, function or type by a participle, and begins no comment with "Of"', () => {
    const files = sources.filter((f) => !/\.test\.ts$|fixture/.test(f)).map((f): [string, string] => [f, read(f)]);
    expect(nameProblems(files)).toEqual([]);
    const planted: [string, string][] = [
      ["memory/one.ts", "export type Verdict = 1;\nconst kept = 2;"],
      ["proxy/two.ts", "export class Verdict {}"],
      ["tui/three.ts", "async function found(a: string) {}\nfunction* known<T>() {}\nfunction foundIn() {}"],
      ["hook/four.ts", "export type Asked = 1;\ntype Desk<T> = T;\ninterface House {}\ntype AskedTwice = 1;"],
      ["store/five.ts", "type Kept = 1;\nclass Ask {}\nclass Ground {}"],
      [
        "model/seven.ts",
        "function look(found: string) {}\nlist.map((known) => known);\nrun(one, (held) => 1);\ntype Run = (said?: string) => { found: 1 };\nconst go = (kept = 1) => ({ kept });",
      ],
      ["acp/six.ts", "/** Of a turn. */\n  /** Offers one. */"],
    ];
    expect(nameProblems(planted)).toEqual([
      "memory/one.ts: const kept",
      ...["function found", "function* known"].map((name) => `tui/three.ts: ${name}`),
      ...["type Asked", "type Desk", "interface House"].map((name) => `hook/four.ts: ${name}`),
      ...["type Kept", "class Ask", "class Ground"].map((name) => `store/five.ts: ${name}`),
      "acp/six.ts: /** Of a",
      ...["found", "known", "held", "said", "kept"].map((name) => `model/seven.ts: parameter ${name}`),
      "Verdict: memory/one.ts proxy/two.ts",
    ]);
  });
});

const PARTICIPLES = "found|done|known|kept|told|made|asked|held|said|given";
const isParticiple = new RegExp(`^(?:${PARTICIPLES})$`);

/** The plain names of all parameters, those of function types too. */
function parameters(file: string, text: string): string[] {
  if (!new RegExp(`\\b(?:${PARTICIPLES})\\b`).test(text)) return [];
  const names: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === "params" && Array.isArray(value))
        for (const one of value as { type: string; name?: string; left?: { name?: string } }[])
          names.push((one.type === "AssignmentPattern" ? one.left?.name : one.name) ?? "");
      visit(value);
    }
  };
  visit(parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts", astType: "ts" }));
  return names;
}

/**
 * A reader who meets a name must know which thing it is; a participle says only that something happened to it.
 * A comment that begins with "Of" leaves out what it speaks about.
 */
function nameProblems(files: readonly [string, string][]): string[] {
  const forbidden = [
    new RegExp(`\\b(?:const|let|function\\*?) (?:${PARTICIPLES})\\b`, "g"),
    /\b(?:type|interface|class) (?:Found|Done|Known|Kept|Told|Made|Asked|Held|Said|Given|Ask|Ground|House|Desk)\b/g,
    /\/\*\* Of \w+/g,
  ];
  const owners = new Map<string, string[]>();
  for (const [file, text] of files)
    for (const [, name] of text.matchAll(/^export (?:type|interface|class) (\w+)/gm))
      owners.set(name!, [...(owners.get(name!) ?? []), file]);
  return [
    ...files.flatMap(([file, text]) =>
      forbidden.flatMap((form) => [...text.matchAll(form)].map(([name]) => `${file}: ${name}`)),
    ),
    ...files.flatMap(([file, text]) =>
      parameters(file, text)
        .filter((name) => isParticiple.test(name))
        .map((name) => `${file}: parameter ${name}`),
    ),
    ...[...owners].filter(([, list]) => list.length > 1).map(([name, list]) => `${name}: ${list.join(" ")}`),
  ];
}
