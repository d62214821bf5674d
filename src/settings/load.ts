// Loads the settings of a run: files, environment and flags, merged by precedence, each value with its source.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode, type Failure, systemReason } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { type Complaint, describeComplaint } from "./complaint.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { parseSettingsFile } from "./file.ts";
import { type CheckRule, readFileLayer } from "./file-layer.ts";
import { type Flags, readFlags } from "./flag.ts";
import { homeVariable, resolveHome } from "./home.ts";
import { RANK, resolve, type SettingCandidate, type Sources } from "./resolve.ts";
import { rowOf, type SettingKey, type Settings } from "./table.ts";

export type LoadOptions = {
  env: Environment;
  /** Taken from the environment when absent. */
  home?: string;
  /** Git root, else the folder the program runs in; without it there is no project file. */
  root?: string;
  trusted: boolean;
  flags?: Flags;
  /** The text, or undefined when there is no such file; throws what the machine says otherwise. */
  readFile?: (path: string) => string | undefined;
  /** What is wrong with a permission rule, or undefined. */
  checkRule?: CheckRule;
};

export type OriginRule = { text: string; source: string };
export type LoadedSettings = {
  values: Settings;
  sources: Sources;
  /** The permission lists with the layer that each rule comes from; a relative folder is relative to that layer's. */
  permissions: { allow: OriginRule[]; deny: OriginRule[]; ask: OriginRule[]; dirs: OriginRule[] };
  /** What the project's file says that counts only once its folder is trusted. */
  withheld: { key: SettingKey; value: unknown }[];
  warnings: string[];
};

const MAX_BYTES = 1024 * 1024;

export const userFile = (home: string): string => join(home, "settings.json");
export const projectFile = (root: string): string => join(root, ".everlong", "settings.json");

export async function loadSettings(options: LoadOptions): Promise<Result<LoadedSettings, Failure>> {
  const home = options.home === undefined ? resolveHome(options.env) : ok(options.home);
  if (!home.ok) return home;
  const flags = readFlags(options.flags ?? {}, options.checkRule);
  if (!flags.ok) return flags;
  const environment = readEnvironment(options.env);
  const candidates: SettingCandidate[] = [...environment.candidates, ...flags.value];
  const complaints: Complaint[] = [...environment.complaints];
  const withheld: SettingCandidate[] = [];

  for (const { layer, path } of settingsFiles(home.value, options.root)) {
    const text = readText(path, options.readFile ?? readFile);
    if (!text.ok) return text;
    if (text.value === undefined) continue;
    const file = await parseSettingsFile(path, text.value);
    if (!file.ok) return file;
    const { trusted, checkRule } = options;
    const read = await readFileLayer(file.value, { layer, trusted, checkRule });
    if (!read.ok) return read;
    candidates.push(...read.value.candidates);
    withheld.push(...read.value.withheld);
    complaints.push(...read.value.complaints);
  }

  const homeRow = rowOf("home");
  const variable = homeVariable(options.env);
  const homeSource = variable ? `environment ${variable}` : "default";
  if (homeRow) candidates.push({ row: homeRow, value: home.value, rank: RANK.environment, source: homeSource });
  const { values, sources } = resolve(candidates);
  const rules = (key: SettingKey) => originRules(candidates, key);
  return ok({
    values,
    sources,
    permissions: {
      allow: rules("permissions.allow"),
      deny: rules("permissions.deny"),
      ask: rules("permissions.ask"),
      dirs: rules("permissions.dirs"),
    },
    withheld: withheld.map(({ row, value }) => ({ key: row.key, value })),
    warnings: complaints.map((c) => describeComplaint(c, values, sources)),
  });
}

/** When the project is the user's own home folder, its file is the user's file and nothing else. */
function settingsFiles(home: string, root: string | undefined) {
  const files: { layer: "user" | "project"; path: string }[] = [{ layer: "user", path: userFile(home) }];
  if (root !== undefined && !sameFile(projectFile(root), userFile(home))) {
    files.push({ layer: "project", path: projectFile(root) });
  }
  return files;
}

function sameFile(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    const [one, other] = [statSync(a), statSync(b)];
    return one.ino === other.ino && one.dev === other.dev;
  } catch {
    return false; // one is missing, or reading it will say what is wrong
  }
}

function readFile(path: string): string | undefined {
  try {
    // A device or a pipe in its place would be read for ever, before anybody was asked for trust.
    const stat = statSync(path);
    if (!stat.isFile()) throw new Error("it is not a regular file");
    if (stat.size > MAX_BYTES) throw new Error(`it has ${stat.size} bytes, and the limit is ${MAX_BYTES}`);
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function readText(path: string, read: (path: string) => string | undefined): Result<string | undefined, Failure> {
  try {
    return ok(read(path));
  } catch (error) {
    return fail({
      code: "settings_unreadable",
      what: `${path} cannot be read: ${systemReason(error)}.`,
      data: "The file is unchanged and nothing was started: it may contain rules that must not be skipped.",
      next: "Make it readable, or move it away.",
      exit: 2,
    });
  }
}

function originRules(candidates: readonly SettingCandidate[], key: SettingKey): OriginRule[] {
  return candidates
    .filter((c) => c.row.key === key)
    .sort((a, b) => a.rank - b.rank)
    .flatMap((c) => (Array.isArray(c.value) ? c.value.map((text: string) => ({ text, source: c.source })) : []));
}
