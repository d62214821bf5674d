// Names that code and its tools give things: paths, symbols, packages, commits, branches, numbers of issues, commands.
import { type EntityDraft, MAX_NAME } from "./draft.ts";
import type { EntityLabel } from "./relation.ts";
import { TOOLS } from "./word-list.ts";

const REPOSITORY_URL =
  /^https?:\/\/[^/\s]+\/([\w.-]+\/[\w.-]+)\/(?:-\/)?(pull|pulls|merge_requests|issues|commit)\/(\w+)/;
const EXTENSION =
  /[\w)\]-]\.(?:[cm]?[jt]sx?|json[cl5]?|py|rb|go|rs|java|kts?|c|h|cc|cpp|hpp|cs|swift|php|sh|bash|zsh|sql|md|mdx|txt|ya?ml|toml|ini|cfg|conf|env|html?|css|s[ac]ss|vue|svelte|lock|proto|graphql|tf|xml|csv|log|db|rst|ipynb|lua|ex|exs|erl|hs|scala|pl|gradle|properties|svg|png)$/;
/** Frameworks whose names look like files. */
const NAMED_LIKE_FILE = /^[A-Z][A-Za-z]*\.(?:js|io|py|rs|go|ai)$/;
const WELL_KNOWN_FILE =
  /^(?:Dockerfile|Makefile|Gemfile|Rakefile|Procfile|Jenkinsfile|LICENSE|README|CODEOWNERS|\.env(?:\.\w+)?|\.gitignore)$/;
const FOLDER = /^(?:src|lib|libs|test|tests|docs|doc|packages|apps|bin|scripts|config|cmd|internal|pkg|bench|web)\//;
const PATH = /^(?:\.{0,2}\/|~\/)?[\w.@+-]+(?:\/[\w.@+()[\]{}-]+)*\/?$/;
const BRANCH = /^(?:origin\/)?(?:feature|feat|fix|bugfix|hotfix|release|chore|refactor)\/[\w./-]+$|^origin\/[\w./-]+$/;
const PACKAGE = /^@[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*(?:@[\w.^~-]+)?$/;
const TASK = /^[A-Z][A-Z0-9]{1,9}-\d{1,6}$/;
/** Standards that are written like the number of a task. */
const NO_TASK = /^(?:UTF|SHA|ISO|UTC|GMT|GPT|HTTP|AES|RSA|MD|RFC|TLS|IPV|ES|H|COVID|BASE|MP|WIN)-/;
const ADDRESS = /^(?:localhost|[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}):\d{2,5}$/i;
const INCIDENT = /^INC-\d+$/;
const HASH = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}$|^[0-9a-f]{40}$/;
const CALL = /^([A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*)\(\)$/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*(?:\(\))?$/;
const CAMEL = /^[a-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+$/;
const SNAKE = /^_?[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+$/;
/** Products whose names look like symbols. */
const NAMED_LIKE_SYMBOL = /^(?:iPhone|iPad|macOS|gRPC|eBay|jQuery|youTube|openSUSE|kubeVirt)$/;
const COMMAND = /^(?:\$ )?([a-z][\w.-]*)(?: |$)/;

const draft = (name: string, label: EntityLabel): EntityDraft => ({ name: name.slice(0, MAX_NAME), label });

/** The entity that a word of prose is by its form alone. */
export function recogniseWord(word: string): EntityDraft | undefined {
  if (word.length > MAX_NAME) return undefined;
  if (/^https?:\/\//.test(word)) return recogniseUrl(word);
  if (/^#\d{1,7}$/.test(word)) return draft(word, "Task");
  if (/^[\w.-]+\/[\w.-]+#\d{1,7}$/.test(word)) return draft(word, "Task");
  if (INCIDENT.test(word)) return draft(word, "Incident");
  if (TASK.test(word) && !NO_TASK.test(word)) return draft(word, "Task");
  if (ADDRESS.test(word)) return draft(word, "Term");
  if (HASH.test(word)) return draft(word, "Commit");
  if (PACKAGE.test(word)) return draft(word.replace(/(?<=.)@[\w.^~-]+$/, ""), "Package");
  if (isPath(word)) return draft(word, "File");
  const call = CALL.exec(word)?.[1];
  if (call !== undefined) return draft(call, "Symbol");
  if ((CAMEL.test(word) && !NAMED_LIKE_SYMBOL.test(word)) || SNAKE.test(word) || /^\w+(?:::\w+)+$/.test(word))
    return draft(word, "Symbol");
  return undefined;
}

/** What stands between backticks is meant as code. */
export function recogniseCode(code: string): EntityDraft | undefined {
  const text = code.trim();
  if (text === "" || text.length > MAX_NAME) return undefined;
  const word = recogniseWord(text);
  if (BRANCH.test(text)) return draft(text.replace(/^origin\//, ""), "Branch");
  if (word) return word;
  if (text.includes("/") && PATH.test(text)) return draft(text, "File");
  const program = COMMAND.exec(text)?.[1] ?? "";
  if (TOOLS.has(program)) return draft(text.replace(/^\$ /, ""), "Tool");
  if (IDENTIFIER.test(text)) return draft(text.replace(/\(\)$/, ""), "Symbol");
  return draft(text, "Term");
}

function recogniseUrl(url: string): EntityDraft {
  const [, repository, kind, id = ""] = REPOSITORY_URL.exec(url) ?? [];
  if (repository === undefined) return draft(url, "Term");
  if (kind === "commit") return draft(id, "Commit");
  return draft(`${repository}#${id}`, kind === "issues" ? "Task" : "PullRequest");
}

export function isPath(word: string): boolean {
  if (!/[\w]/.test(word) || word.includes("://")) return false;
  if (WELL_KNOWN_FILE.test(word)) return word !== "LICENSE" && word !== "README";
  if (!PATH.test(word)) return false;
  if (!word.includes("/")) return EXTENSION.test(word) && !NAMED_LIKE_FILE.test(word);
  if (word.startsWith("@")) return false;
  return /^(?:\.{1,2}|~)?\//.test(word) || word.endsWith("/") || EXTENSION.test(word) || FOLDER.test(word);
}

const IMPORT =
  /^\s*(?:import\b[^'"\n]{0,200}['"]([^'"\n]{1,120})['"]|(?:const|let|var)\b[^=\n]{1,200}=\s*require\(['"]([^'"\n]{1,120})['"]\)|from\s+([\w.]{1,80})\s+import\b|use\s+([a-z_]\w{0,60})::)/;
const INSTALL =
  /^\s*(?:\$ )?(?:sudo )?(?:npm (?:install|i|add)|pnpm (?:add|install)|yarn add|bun add|pip3? install|poetry add|uv add|cargo add|go get|gem install)((?: +[^\s;&|]+){1,20})/;
const DEFINITION =
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function|class|interface|def|fn|struct|enum|trait)\s+([A-Za-z_$][\w$]{2,80})/;

/** Packages and symbols that one line of code or shell names. */
export function recogniseCodeLine(line: string): EntityDraft[] {
  if (line.length > 400) return [];
  const install = INSTALL.exec(line)?.[1];
  if (install !== undefined)
    return install
      .trim()
      .split(/ +/)
      .filter((word) => /^@?[A-Za-z][\w./@^~=<>-]*$/.test(word))
      .map((word) => draft(word.replace(/(?<=.)(?:@|[=<>~^]=?).*$/, ""), "Package"));
  const [, from, required, python, rust] = IMPORT.exec(line) ?? [];
  const module = from ?? required ?? python ?? rust;
  if (module !== undefined) return /^[./]/.test(module) ? [] : [draft(packageOf(module), "Package")];
  const symbol = DEFINITION.exec(line)?.[1];
  return symbol === undefined ? [] : [draft(symbol, "Symbol")];
}

/** `@scope/name/deep` and `name/deep` are parts of a package; `node:fs` and `os.path` are modules. */
function packageOf(module: string): string {
  const parts = module.split("/");
  return module.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? module).split(".", 1)[0] || module;
}
