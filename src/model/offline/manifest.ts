// Finds version, scripts, dependencies and the like in a project's manifest, whatever its language.
export type ManifestFact = "about" | "version" | "scripts" | "dependencies" | "dev" | "license" | "runtime" | "entry";
export type ManifestRange = { from: number; to: number };

const NAMES =
  "package.json pyproject.toml Cargo.toml go.mod composer.json pubspec.yaml mix.exs setup.py setup.cfg pom.xml build.gradle build.gradle.kts Gemfile CMakeLists.txt deno.json requirements.txt Makefile makefile justfile VERSION";
/** A glob for manifests and for the file that introduces a project, in any folder. */
export const PROJECT_FILES = `{${NAMES.split(" ").join(",")},*.csproj,*.gemspec,[rR][eE][aA][dD][mM][eE]*}`;

const MANIFEST = new RegExp(
  `(?:^|/)(?:${NAMES.replaceAll(".", "\\.").split(" ").join("|")}|[^/]+\\.(?:csproj|gemspec))$`,
);
const SCRIPTS_FILE = /(?:^|\/)(?:[Mm]akefile|justfile)$/;

/** How a line begins that states the fact, in JSON, TOML, YAML, XML and the formats of single tools. */
const STATES: Record<ManifestFact, RegExp> = {
  about: /^\s*["']?(?:description|summary)["']?\s*[:=]|^\s*<description>|^module\s/i,
  version: /^\s*["']?(?:version|VERSION|__version__)["']?\s*[:?]?[:=]|^\s*<[vV]ersion>|^v?\d+\.\d+/,
  scripts:
    /^\s*"(?:scripts|tasks)"\s*:|^\[(?:[\w.-]*\.)?(?:scripts|tasks)\]|^[A-Za-z][\w.-]*(?: [^:=]*)?:(?!=)\s*(?![="'])/,
  dependencies:
    /^\s*"(?:dependencies|require|imports)"\s*:|^\[(?:tool\.poetry\.|workspace\.)?dependencies\]|^\s*(?:dependencies|install_requires|requires)\s*[:={]|^require\b|^\s*<dependencies>|^\s*<PackageReference|^gem\s|^\s*defp? deps\b|^[A-Za-z][\w.-]*(?:\[[\w,]+\])?\s*[=<>~!]=/,
  dev: /^\s*"(?:devDependencies|require-dev)"\s*:|^\[(?:dev-dependencies|dependency-groups|project\.optional-dependencies|tool\.poetry\.(?:group\.\w+|dev-)\.?dependencies)\]|^\s*dev_dependencies\s*:|^group :\w+.* do/,
  license: /^\s*["']?(?:licen[cs]e|licenses)["']?\s*[:=]|^\s*<licenses?>/i,
  runtime:
    /^\s*"(?:engines|packageManager)"\s*:|^\s*(?:requires-python|python_requires|rust-version|python|edition|ruby|sdk)\s*[:= ]|^go \d|^toolchain\s|^\s*<(?:maven\.compiler\.\w+|java\.version|TargetFramework)>|^\s*(?:sourceCompatibility|elixir)\b/,
  entry: /^\s*"(?:bin|main|exports|module)"\s*:|^\[(?:project\.|tool\.poetry\.)?scripts\]|^\[\[bin\]\]|^\s*<mainClass>/,
};
/** Tables of a TOML file that speak of the project itself; a key elsewhere is about something else. */
const OWN_TABLE = /^\[(?:project|package|tool\.poetry|workspace\.package|metadata|options)\]/;
const MAX_CHARS = 400;
const MAX_RANGES = 3;

export function isManifest(path: string): boolean {
  return MANIFEST.test(path);
}

/** Where a manifest states the fact, cut into pieces that fit a quote. */
export function stated(path: string, lines: ReadonlyMap<number, string>, fact: ManifestFact): ManifestRange[] {
  const isMakefile = SCRIPTS_FILE.test(path);
  if (isMakefile && fact !== "scripts" && fact !== "version") return [];
  if (fact === "scripts" && !isMakefile && !/(?:json|toml)$/.test(path)) return [];
  if (/(?:^|\/)VERSION$/.test(path) !== (fact === "version" && /(?:^|\/)VERSION$/.test(path))) return [];
  let ownTable = true;
  const starts: number[] = [];
  for (const [line, text] of lines) {
    if (/^\[/.test(text)) ownTable = OWN_TABLE.test(text);
    if (STATES[fact].test(text) && (ownTable || /^\[/.test(text))) starts.push(line);
  }
  const least = Math.min(...starts.map((line) => indentOf(lines.get(line) ?? "")));
  const [first] = starts.filter((line) => indentOf(lines.get(line) ?? "") === least);
  if (first === undefined) return [];
  const wholeFile = isMakefile ? fact === "scripts" : /requirements\.txt$|Gemfile$/.test(path);
  return pieces(lines, { from: first, to: endOf(lines, first, wholeFile) });
}

function endOf(lines: ReadonlyMap<number, string>, first: number, wholeFile: boolean): number {
  const head = lines.get(first) ?? "";
  const isTable = /^\[/.test(head);
  const opens = /[{[(:]\s*$|\bdo\s*$|^\s*<\w+>\s*$/.test(head);
  let last = first;
  if (!wholeFile && !isTable && !opens) return last;
  for (let at = first + 1; lines.has(at); at++) {
    const text = lines.get(at) ?? "";
    if (!wholeFile) {
      if (isTable && /^\[/.test(text)) break;
      if (!isTable && text.trim() !== "" && indentOf(text) <= indentOf(head))
        return /^\s*(?:[\])}]|<\/|end\b)/.test(text) ? at : last;
    }
    if (text.trim() !== "") last = at;
  }
  return last;
}

function pieces(lines: ReadonlyMap<number, string>, whole: ManifestRange): ManifestRange[] {
  const ranges: ManifestRange[] = [];
  let from = whole.from;
  let size = 0;
  for (let at = whole.from; at <= whole.to; at++) {
    const length = (lines.get(at) ?? "").length + 1;
    if (size + length > MAX_CHARS && at > from) {
      ranges.push({ from, to: at - 1 });
      from = at;
      size = 0;
    }
    size += length;
  }
  return [...ranges, { from, to: whole.to }].slice(0, MAX_RANGES);
}

export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
