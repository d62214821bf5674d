// Finds the hooks of a session, in the order in which they run, each with whether it may.
import { join } from "node:path";
import { shownValue } from "../base/json.ts";
import { decodeUtf8, readWhole, realTarget } from "../host/files.ts";
import { realPath } from "../permission/path.ts";
import { entriesOf } from "../permission/project-files.ts";
import { acceptsFile, type TrustState } from "../permission/trust.ts";
import { parseSettingsFile } from "../settings/file.ts";
import { projectFile, userFile } from "../settings/load.ts";
import { parseBoolean } from "../settings/parse.ts";
import type { Hook, HookLayer, HookOff, HookWarning } from "./hook.ts";
import { type HttpRule, httpRefusal } from "./http-rule.ts";
import { parseHooks } from "./parse.ts";

export type LoadHooks = {
  everlongHome: string;
  root: string;
  trust: TrustState;
  /** The switch as the environment has it, which beats the files; undefined when it says nothing. */
  disabled?: boolean | undefined;
  http: HttpRule;
};

/** All that were found: those with `off` do not run, and are there to be listed. */
type LoadedHooks = { hooks: Hook[]; warnings: HookWarning[] };

type Place = { path: string; layer: HookLayer; settings?: true };
type Loaded = Place & { hooks: Hook[]; warnings: HookWarning[]; disables: boolean };

const MAX_BYTES = 1024 * 1024;

export async function loadHooks(options: LoadHooks): Promise<LoadedHooks> {
  const files: Loaded[] = [];
  for (const place of once(places(options))) files.push(await loadFile(place, options.trust));
  const disables = (layers: readonly HookLayer[]): boolean =>
    files.some((file) => file.disables && layers.includes(file.layer));
  const allOff = options.disabled ?? disables(["user", "plugin"]);
  const projectOff = allOff || disables(["project"]);
  const warnings = files.flatMap((file) => file.warnings);
  const hooks = files.flatMap((file) =>
    file.hooks.map((hook): Hook => {
      if (hook.off) return hook;
      if (file.layer === "project" ? projectOff : allOff) return { ...hook, off: "disabled" };
      const refusal = hook.type === "http" ? httpRefusal(hook, options.http) : undefined;
      if (refusal === undefined) return hook;
      warnings.push({ path: hook.source, message: `${refusal}; this hook is not used` });
      return { ...hook, off: "refused" };
    }),
  );
  return { hooks, warnings };
}

/** In the order of running. A trusted path is a real one, so the root is made real first. */
function places({ everlongHome, root }: LoadHooks): Place[] {
  const real = realPath(root, "/") ?? root;
  const inFolder = (folder: string, layer: HookLayer): Place[] =>
    names(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => ({ path: join(folder, name), layer }));
  const plugins = join(everlongHome, "plugins");
  return [
    ...inFolder(join(everlongHome, "hooks"), "user"),
    { path: userFile(everlongHome), layer: "user", settings: true },
    ...names(plugins).flatMap((name) => inFolder(join(plugins, name, "hooks"), "plugin")),
    ...inFolder(join(real, ".everlong", "hooks"), "project"),
    ...inFolder(join(real, ".github", "hooks"), "project"),
    { path: projectFile(real), layer: "project", settings: true },
  ];
}

/** Where the project is the user's home folder, its files are the user's and nothing else. */
function once(all: readonly Place[]): Place[] {
  const seen = new Set<string>();
  return all.filter(({ path }) => {
    const real = realTarget(path);
    return !seen.has(real) && seen.add(real);
  });
}

async function loadFile(place: Place, trust: TrustState): Promise<Loaded> {
  const loaded: Loaded = { ...place, hooks: [], warnings: [], disables: false };
  // What an untrusted folder has wrong is of no interest yet: one notice counts what is there.
  const isQuiet = place.layer === "project" && !trust.trusted;
  const broken = (message: string): Loaded => ({
    ...loaded,
    warnings: isQuiet ? [] : [{ path: place.path, message: `${message} No hook of this file is used.`, error: true }],
  });
  const read = readWhole(realTarget(place.path), MAX_BYTES);
  if (!read.ok) return place.settings && read.error.code === "not_found" ? loaded : broken(read.error.message);
  const { bytes } = read.value;
  const text = decodeUtf8(bytes);
  if (text === undefined) return broken("The file is not UTF-8.");
  const file = await parseSettingsFile(place.path, text);
  // A settings file that cannot be read stops the start in a place of its own.
  if (!file.ok) return place.settings ? loaded : broken(file.error.what);
  const off = place.layer === "project" ? untrusted(trust, place.path, bytes) : undefined;
  const { version = 1, hooks, disableAllHooks } = file.value.value;
  if (!place.settings && version !== 1) return broken(`"version" must be 1, found ${shownValue(version)}.`);
  if (place.settings && hooks === undefined) return { ...loaded, disables: !off && switchedOff(disableAllHooks) };
  const parsed = parseHooks(place, hooks ?? {});
  return {
    ...loaded,
    hooks: off ? parsed.hooks.map((hook) => ({ ...hook, off })) : parsed.hooks,
    warnings: isQuiet ? [] : parsed.warnings,
    disables: !off && switchedOff(disableAllHooks),
  };
}

function untrusted(trust: TrustState, path: string, bytes: Uint8Array): HookOff | undefined {
  if (!trust.trusted) return "untrusted";
  return acceptsFile(trust, path, bytes) ? undefined : "changed";
}

const switchedOff = (value: unknown): boolean => parseBoolean(value) === true;

const names = (folder: string): string[] => entriesOf(folder).map(({ name }) => name);
