// The files of a project that its hooks and MCP servers start: found by name in the file that says what to start.
import { type Stats, statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { isRecord, isTooDeep, parseJson } from "../base/json.ts";
import { readWhole, realTarget } from "../host/files.ts";
import { isInside } from "../host/paths.ts";
import { entriesOf, hashOf, type ProjectFile } from "./project-files.ts";

/** `hash` is ABSENT of a file that is named and not there: one that comes later is a change. */
export type StartedFile = { path: string; hash: string };

export const ABSENT = "absent";
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_FILES = 500;
const MOST_WORDS = 5000;
const MOST_FOLDERS = 10;
/** No loader takes more. */
const MOST_TEXT = 1024 * 1024;

/** What programs run; other files that a command names are its data, and change all the time. */
const CODE =
  /^\.(?:[cm]?[jt]sx?|py|pyz|rb|pl|php|lua|sh|bash|zsh|fish|ksh|ps1|bat|cmd|awk|sed|jar|class|wasm|exe|go|rs|swift|kts?|groovy|r|jl|nu|tcl)$/i;
const MAKE = ["GNUmakefile", "makefile", "Makefile"];
const RUNS_SCRIPTS = /\b(?:npm|pnpm|yarn|bun)\s+(?!(?:exec|x|dlx|create|init|i|install|add|ci)\b)/;
const RUNS_FOLDERS = /\b(?:node|bun|deno|tsx|python[\d.]*)\b/;
const ENTRIES = ["index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py", "package.json"];
const MODULE = /(?:^|\s)-m\s+([\w.]+)/g;
/** What runs the file that is named after it, whatever that is called. */
const RUNNER =
  /^(?:\.|source|(?:.*\/)?(?:(?:ba|z|k|da|fi)?sh|node|bun|deno|tsx|python[\d.]*|perl|ruby|php|lua|osascript))$/;
/** Between a runner and its file. */
const PASSED_OVER = /^(?:-.*|args|run|bash|command)?$/;
const BETWEEN_WORDS = /[\s"'`;|&<>(){}=,:$[\]]+/;
const LITERAL = /"(?:[^"\\]|\\.)*"/g;

/** `cwd`: servers are started in the working folder. */
export function startedBy(file: ProjectFile, root: string, cwd: string): StartedFile[] {
  const read = MAY_START.has(file.kind) ? readWhole(realTarget(file.path), MOST_TEXT) : undefined;
  const text = read?.ok ? read.value.bytes.toString("utf8") : "";
  if (file.kind !== "hooks" && !SAYS_WHAT.test(text)) return [];
  const paths = namedFiles(text, [root, folderOf(file.path), cwd], root);
  // What npm runs stands in package.json, and names files in its turn.
  for (const path of [...paths]) {
    if (!path.endsWith("/package.json")) continue;
    for (const named of namedFiles(scriptsOf(path), [dirname(path)], root)) paths.add(named);
  }
  return [...paths]
    .sort()
    .slice(0, MOST_FILES)
    .map((path) => ({ path, hash: hashAt(path) }));
}

const MAY_START = new Set(["hooks", "mcpServers", "settings", "agents"]);
const SAYS_WHAT = /hooks|mcpServers|mcp-servers/;

/** The folder that a file's own home (.everlong, .github, .claude) stands in. */
const folderOf = (path: string): string => dirname(path).replace(/\/\.(?:everlong|github|claude)(?:\/.*)?$/, "");

function namedFiles(text: string, folders: readonly string[], root: string): Set<string> {
  const plain = [text, ...literalsIn(text)].join(" ");
  const commands = [...literalsIn(text), text].join(" ").replace(/["'\\,[\]]+/g, " ");
  const sequence = [...plain.split(BETWEEN_WORDS), ...plain.replace(/["'\\]+/g, "").split(BETWEEN_WORDS)];
  sequence.push(...serverLines(parsedOf(text)));
  const words = new Set(sequence);
  const scripts = afterRunners(sequence);
  const paths = new Set<string>();
  const bases = new Set(folders);
  const add = (path: string): void => {
    if (isInside(path, root) && paths.size < MOST_FILES) paths.add(path);
  };
  const wanted = [...words].filter((word) => word !== "" && word.length < 1000).slice(0, MOST_WORDS);
  // A folder that is named may be the one in which the command runs.
  for (const word of wanted) {
    const path = resolve(root, word);
    if (isInside(path, root) && statOf(path)?.isDirectory()) bases.add(path);
  }
  const places = [...bases].slice(0, MOST_FOLDERS);
  for (const word of wanted) {
    const matches = places.flatMap((base) => filesNamed(base, word, root, scripts.has(word)));
    for (const path of matches) add(path);
    if (matches.length === 0 && (CODE.test(extname(word)) || /^\.{1,2}\/[^/]/.test(word)))
      for (const base of folders) if (!statOf(resolve(base, word))) add(resolve(base, word));
  }
  for (const base of places) {
    if (RUNS_SCRIPTS.test(commands)) add(join(base, "package.json"));
    if (words.has("make")) for (const name of MAKE) if (statOf(join(base, name))) add(join(base, name));
    for (const [, name = ""] of commands.matchAll(MODULE)) {
      const module = join(base, ...name.split(".").filter(Boolean));
      for (const path of [`${module}.py`, join(module, "__main__.py"), join(module, "__init__.py")])
        if (statOf(path)) add(path);
    }
    if (RUNS_FOLDERS.test(commands))
      for (const word of wanted)
        for (const name of ENTRIES) {
          const path = resolve(base, word, name);
          if ((word === "." || word.includes("/")) && statOf(path)?.isFile()) add(path);
        }
  }
  return paths;
}

/** The command and arguments of each server in a JSON text, in this order whichever stands first. */
function serverLines(value: unknown): string[] {
  if (!isRecord(value)) return [];
  const { command, args } = value;
  const line = typeof command === "string" && Array.isArray(args) ? [command, ...args.map(String)] : [];
  return [...line, ...Object.values(value).flatMap(serverLines)];
}

/** The words that a shell or an interpreter is given as its script. */
function afterRunners(words: readonly string[]): Set<string> {
  const scripts = new Set<string>();
  let isNext = false;
  for (const word of words) {
    if (isNext && !PASSED_OVER.test(word)) scripts.add(word);
    isNext = RUNNER.test(word) || (isNext && PASSED_OVER.test(word));
  }
  return scripts;
}

/** A word as a path that is there: from the folder, or what is left of one that began with a variable. */
function filesNamed(base: string, word: string, root: string, isScript: boolean): string[] {
  const paths = new Set([resolve(base, word), ...(word.startsWith("/") ? [join(root, word)] : [])]);
  return [...paths].flatMap((path) => {
    if (!isInside(path, root)) return [];
    if (path.includes("*")) return filesMatching(path);
    const stat = statOf(path);
    if (stat) return isRun(path, stat) || (isScript && stat.isFile()) ? [path] : [];
    return [".js", ".mjs", ".cjs", ".ts"].map((ending) => path + ending).filter((one) => statOf(one)?.isFile());
  });
}

/** Every file in the pattern's folder that can be run. */
function filesMatching(pattern: string): string[] {
  const folder = dirname(pattern.slice(0, pattern.indexOf("*") + 1));
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    const stat = statOf(path);
    return stat?.isFile() && isRun(path, stat) ? [path] : [];
  });
}

const isRun = (path: string, stat: Stats): boolean =>
  stat.isFile() &&
  (CODE.test(extname(path)) || (stat.mode & 0o111) !== 0 || /\/(?:package\.json|[Jj]ustfile|Rakefile)$/.test(path));

function hashAt(path: string): string {
  const real = realTarget(path);
  const read = readWhole(real, MOST_BYTES);
  if (read.ok) return hashOf(read.value.bytes);
  const stat = statOf(real);
  // Too large to be read at every start, or not to be read at all: then by what the system says of it.
  return stat ? hashOf(`${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`) : ABSENT;
}

/** The strings of JSON or YAML as a reader of it sees them: an escape hides no name. */
const literalsIn = (text: string): string[] =>
  [...text.matchAll(LITERAL)].flatMap(([literal]) => {
    const parsed = parseJson(literal);
    return parsed.ok && typeof parsed.value === "string" ? [parsed.value] : [];
  });

function parsedOf(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.ok && !isTooDeep(parsed.value) ? parsed.value : undefined;
}

function scriptsOf(path: string): string {
  const read = readWhole(realTarget(path), MOST_BYTES);
  const parsed = read.ok ? parsedOf(read.value.bytes.toString("utf8")) : undefined;
  const scripts = isRecord(parsed) ? parsed["scripts"] : undefined;
  return isRecord(scripts)
    ? Object.values(scripts)
        .filter((script) => typeof script === "string")
        .join(" ")
    : "";
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a loop of links, a name too long, or no leave to look: nothing can be run there either
  }
}

/** The first of them that is not any more as it was. */
export const changedAmong = (started: readonly StartedFile[]): string | undefined =>
  started.find(({ path, hash }) => hashAt(path) !== hash)?.path;
