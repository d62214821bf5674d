// Hard guards: what no rule and no switch lets the agent write, and what a person is always asked about.
import { join, relative } from "node:path";
import { foldersDownTo, isInside } from "../host/paths.ts";

/** Real paths, all of them. */
export type GuardPlaces = {
  everlongHome: string;
  sessionDir: string;
  root: string;
  cwd: string;
  /** Files that hooks and MCP servers of the project start. */
  started?: readonly string[];
};

type Guarded = { level: "refuse" | "ask"; what: string };

const OWN_FILES = ["plan.md"];
const OWN_FOLDERS = ["files", "research"];

const PROJECT_FILES: { what: string; pattern: RegExp }[] = [
  { what: "project settings", pattern: /^\.everlong\/settings(\.local)?\.json$/ },
  { what: "hook files", pattern: /^\.(everlong|github)\/hooks(\/|$)/ },
  { what: "hook files", pattern: /^\.claude\/(settings[^/]*\.json$|hooks(\/|$))/ },
  { what: "the MCP server list", pattern: /^\.mcp\.json$/ },
];
const AGENT_FOLDERS = /(^|\/)\.(everlong|github|claude)\/(agents|skills|commands|prompts)(\/|$)/;
const GIT_RUNS = /(^|\/)\.git\/(.*\/)?(hooks(\/|$)|config(\.worktree)?$)/;
const GIT_REST = /(^|\/)\.git(\/|$)/;
const START_UP =
  /\/(\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|envrc|gitconfig|xprofile|xinitrc)|\.config\/(fish|git)(\/.*)?|\.ssh(\/.*)?)$|^\/etc\/(profile|bash\.bashrc|bashrc|zsh|zshrc|zshenv|environment|gitconfig)(\.d)?(\/|$)/;

/** The session's own papers, which it may always write. */
function isOwnPaper(real: string, sessionDir: string): boolean {
  return (
    OWN_FILES.some((name) => real === join(sessionDir, name)) ||
    OWN_FOLDERS.some((name) => isInside(real, join(sessionDir, name)))
  );
}

/** Names that a program takes code or configuration from by itself when it is started in their folder. */
const RUN_BY_ITSELF =
  /^(package(-lock)?\.json|.*\.config\.[cm]?[jt]s|\..*rc(\.(js|cjs|mjs|json|ya?ml|toml))?|\.(git|hg|svn|cargo|husky|vscode|idea|mvn|config|github|everlong|claude|bundle|envrc|env)|node_modules|\.?(gnu)?makefile|.*\.mk|justfile|rakefile|gemfile|vagrantfile|procfile|brewfile|dockerfile|jenkinsfile|taskfile\.ya?ml|(docker-)?compose\.ya?ml|cmakelists\.txt|.*\.gradle(\.kts)?|gradlew?|mvnw|pom\.xml|build\.(xml|rs|zig|sbt)|cargo\.toml|rust-toolchain(\.toml)?|go\.(mod|work)|pyproject\.toml|setup\.(py|cfg)|tox\.ini|pytest\.ini|conftest\.py|noxfile\.py|(site|user)customize\.py|composer\.json|deno\.jsonc?|bunfig\.toml|\.?mise(\..*)?\.toml|\.tool-versions|\..*-version|lefthook\.ya?ml|\.pre-commit-config\.yaml|binding\.gyp|workspace|build(\.bazel)?|head|config|hooks|tsconfig.*\.json|\.?pnpmfile\.c?js|pnpm-workspace\.yaml|lerna\.json|nx\.json|turbo\.json|angular\.json|meson\.build|(flake|shell|default)\.nix|(tilt|earth|pod|guard|cap|fast|danger)file|(gulp|grunt)file\..*|wscript|scons(truct|cript)|mix\.exs|(deps|bb)\.edn|project\.clj|rebar\.config(\.script)?|package\.swift|module\.bazel|buck|dune(-project)?|stack\.yaml|cabal\.project|setup\.hs|directory\.build\.(props|targets)|.*\.([cf]sproj|vbproj|sln|cabal|gemspec|podspec)|\.pytest\.ini|phpunit\.xml(\.dist)?|magefile\.go|build\.(sc|mill)|pubspec\.yaml)$/i;

export const isRunByItself = (name: string): boolean => RUN_BY_ITSELF.test(name);

/** What the session may write without being asked about it. */
export const isFreePaper = (real: string, sessionDir: string): boolean =>
  isOwnPaper(real, sessionDir) && !relative(sessionDir, real).split("/").some(isRunByItself);

export const isPlan = (real: string, sessionDir: string): boolean => real === join(sessionDir, "plan.md");

/** Whoever reads these speaks with the user's voice to the gateway, or can tell marks of secrets apart. */
const KEYS = ["gateway.token", "secret.key"];

export const ownKeys = ({ everlongHome }: Pick<GuardPlaces, "everlongHome">): string[] =>
  KEYS.map((name) => join(everlongHome, name));

export const isOwnKey = (real: string, places: Pick<GuardPlaces, "everlongHome">): boolean =>
  ownKeys(places).some((key) => real.toLowerCase() === key.toLowerCase());

/** What guards this real path against being written. Letter case is ignored: some file systems do too. */
export function guardOf(real: string, places: GuardPlaces): Guarded | undefined {
  if (isOwnPaper(real, places.sessionDir)) return undefined;
  const path = real.toLowerCase();
  if (isInside(path, places.everlongHome.toLowerCase())) return { level: "refuse", what: "Everlong's own home folder" };
  if (GIT_RUNS.test(path)) return { level: "refuse", what: "git's hooks and configuration" };
  for (const folder of foldersDownTo(places.cwd, places.root)) {
    const inner = relative(folder.toLowerCase(), path);
    const hit = PROJECT_FILES.find((file) => file.pattern.test(inner));
    if (hit) return { level: "refuse", what: hit.what };
    if (inner === ".everlong") return { level: "ask", what: "the folder of the project's settings" };
  }
  if (places.started?.some((one) => one.toLowerCase() === path))
    return { level: "ask", what: "a file that a hook or MCP server starts" };
  if (AGENT_FOLDERS.test(path)) return { level: "ask", what: "agents, skills and commands" };
  if (GIT_REST.test(path)) return { level: "ask", what: "git's own folder" };
  if (START_UP.test(path)) return { level: "ask", what: "a start-up file" };
  return undefined;
}
