// git's configuration as it is in force: which settings make it start programs, and how each is switched off.
import { resolve } from "node:path";
import { fail, ok, type Result } from "../base/result.ts";

export type ConfigEntry = { scope: string; origin: string; key: string; value: string };

/** Settings with one name, each with the value that starts nothing. Not here: what a flag of the subcommand switches off. */
export const OFF: readonly string[] = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.editor=false",
  "sequence.editor=false",
  "core.sshCommand=false",
  "core.askPass=",
  "core.gitProxy=",
  "core.alternateRefsCommand=false",
  "credential.helper=",
  "gpg.program=false",
  "gpg.openpgp.program=false",
  "gpg.x509.program=false",
  "gpg.ssh.program=false",
  "log.showSignature=false",
  // A merge that is done again to show it would run merge drivers.
  "log.diffMerges=separate",
  // It writes the index, which calls a hook.
  "diff.autoRefreshIndex=false",
  "diff.submodule=short",
  "status.submoduleSummary=false",
  "submodule.recurse=false",
  "protocol.allow=never",
  "gc.auto=0",
  "maintenance.auto=false",
  // A repository without a work tree may lie anywhere in the folder, as ordinary files.
  "safe.bareRepository=explicit",
];

/** The same for filters and merge drivers, which carry names. */
export function offByName(entries: readonly ConfigEntry[]): Result<string[], string> {
  const filters = new Set<string>();
  const drivers = new Set<string>();
  for (const { key } of entries) {
    const [, kind, name] = /^(filter|merge)\.(.*)\.[^.]+$/s.exec(key) ?? [];
    if (kind && name !== undefined) (kind === "filter" ? filters : drivers).add(name);
  }
  // The command line would take it for the end of the name.
  const odd = [...filters, ...drivers].find((name) => name.includes("="));
  if (odd !== undefined) return fail(`its git configuration names a filter "${odd}", which cannot be switched off`);
  return ok([
    ...[...filters].flatMap((name) => [
      ...["clean", "smudge", "process"].map((part) => `filter.${name}.${part}=`),
      `filter.${name}.required=false`,
    ]),
    ...[...drivers].map((name) => `merge.${name}.driver=false`),
  ]);
}

/** The output of `config --list -z --show-scope --show-origin`. */
export function parseConfig(text: string): ConfigEntry[] {
  const fields = text.split("\0");
  const entries: ConfigEntry[] = [];
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [scope = "", origin = "", setting = ""] = fields.slice(i, i + 3);
    const at = setting.indexOf("\n");
    const [key, value] = at < 0 ? [setting, "true"] : [setting.slice(0, at), setting.slice(at + 1)];
    entries.push({ scope, origin, key, value });
  }
  return entries;
}

/** The last value wins. */
export const configValue = (entries: readonly ConfigEntry[], key: string): string | undefined =>
  entries.findLast((entry) => entry.key === key)?.value;

/** Files of the person's own configuration, and those that it names; never what the repository's configuration names. */
export function foreignReads(entries: readonly ConfigEntry[], env: Readonly<Record<string, string>>): string[] {
  const home = env["HOME"] ?? "/";
  const own = entries.filter(({ scope }) => scope === "global" || scope === "system");
  const named = own.flatMap(({ key, value }) => (/^core\.(excludesfile|attributesfile)$/.test(key) ? [value] : []));
  const usual = ["ignore", "attributes"].map((name) =>
    resolve(env["XDG_CONFIG_HOME"] || `${home}/.config`, "git", name),
  );
  const origins = own.flatMap(({ origin }) => (origin.startsWith("file:") ? [origin.slice("file:".length)] : []));
  const paths = [...origins, ...named, ...usual].map((path) => resolve(home, path.replace(/^~(?=\/)/, home)));
  return [...new Set(paths)];
}
