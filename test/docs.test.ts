// The documents tell the truth: every file, script and test folder they name exists, and every link leads somewhere.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const scripts = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts);

const documents = [
  "README.md",
  "AGENTS.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("spec"))
    .map((name) => `docs/${name}`),
];

/** Backticked paths count from the repository, from `src/` or from `docs/`; `{a,b}` names several, `NNN` and `*` are patterns. */
function missingPaths(text: string): string[] {
  return [...text.matchAll(/`([\w.-]+(?:\/[\w.{},-]+)+\.(?:ts|tsx|md|mjs|js|json))`/g)]
    .flatMap(([, path = ""]) => alternatives(path))
    .filter((path) => !path.includes("NNN") && ROOTS.some((name) => path.startsWith(`${name}/`)))
    .filter((path) => !["", "src", "docs"].some((base) => existsSync(join(root, base, path))));
}

/** Only paths that begin with a folder of ours are ours; `sessions/<id>/plan.md` is the user's. */
const ROOTS = [
  ...readdirSync(join(root, "src")),
  ...["src", "test", "docs", "bench", "scripts", "bin", "web", "spec", "decisions"],
];

function alternatives(path: string): string[] {
  const choice = /\{([^}]+)\}/.exec(path);
  return choice ? (choice[1] ?? "").split(",").flatMap((part) => alternatives(path.replace(choice[0], part))) : [path];
}

function missingScripts(text: string): string[] {
  const named = [...text.matchAll(/npm (?:run )?([\w:-]+)(?: -- ([\w./-]+))?/g)];
  return named.flatMap(([line, script = "", argument]) => {
    const isNpms = ["install", "pack", "link", "i", "view", "ci"].includes(script);
    const isMissing = !isNpms && /npm run |npm (start|test)/.test(line) && !scripts.includes(script);
    const isFolderMissing = script === "test" && argument?.includes("/") && !existsSync(join(root, argument));
    return isMissing || isFolderMissing ? [line] : [];
  });
}

function deadLinks(document: string, text: string): string[] {
  return [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(document), target)));
}

const problems = (document: string, text: string): string[] => [
  ...missingPaths(text),
  ...missingScripts(text),
  ...deadLinks(document, text),
];

describe("documents", () => {
  it.each(documents)("F104 %s names only what exists", (document) => {
    expect(problems(document, readFileSync(join(root, document), "utf8"))).toEqual([]);
  });

  it("F104 a path, a script, a test folder and a link that lead nowhere are noticed", () => {
    const text =
      "`session/gone.ts` `src/{main,absent}.ts` npm run nothing, npm test -- test/nowhere and [a page](missing.md)";
    expect(problems("docs/page.md", text)).toEqual([
      "session/gone.ts",
      "src/absent.ts",
      "npm run nothing",
      "npm test -- test/nowhere",
      "missing.md",
    ]);
    expect(problems("docs/page.md", "`src/main.ts`, `base/id.ts`, npm test, [the map](architecture.md)")).toEqual([]);
  });
});
