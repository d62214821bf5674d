// From the JSON of one file to hooks: what can be used, and a warning for each thing that cannot. Never throws.
import { isRecord, shownValue } from "../base/json.ts";
import { clip, nearNames } from "../base/text.ts";
import type { CommandHook, Hook, HookLayer, HookWarning, HttpHook, PromptHook } from "./hook.ts";
import { type HookName, hookNameOf, hookNames, SUBJECT } from "./name.ts";

type HookFile = { path: string; layer: HookLayer };
type ParsedHooks = { hooks: Hook[]; warnings: HookWarning[] };

const DEFAULT_SECONDS = 30;
const MAX_SECONDS = 600;
const TAKES_PROMPT: readonly HookName[] = ["sessionStart", "userPromptSubmitted", "subagentStart", "preCompact"];

type Entry = Record<string, unknown>;
type Warn = (what: string) => void;
type Common = Omit<Hook, "type">;

/** `hooks`: what stands under that key. */
export function parseHooks(file: HookFile, hooks: unknown): ParsedHooks {
  const parsed: ParsedHooks = { hooks: [], warnings: [] };
  const warn: Warn = (message) => parsed.warnings.push({ path: file.path, message });
  if (!isRecord(hooks)) {
    warn(`"hooks" must be an object of hook names, found ${shownValue(hooks)}; it is ignored`);
    return parsed;
  }
  for (const [written, entries] of Object.entries(hooks)) {
    const hookName = hookNameOf(written);
    if (!hookName) {
      const near = nearNames(written, hookNames, 1)[0];
      warn(`"${clip(written, 60)}" is not the name of a hook${near ? `; did you mean ${near}?` : ""}`);
    } else if (!Array.isArray(entries)) warn(`"${written}" must be a list of hooks, found ${shownValue(entries)}`);
    else {
      for (const [index, entry] of flat(entries).entries()) {
        const at = `${written}[${index}]`;
        const hook = parseEntry(file, hookName, at, entry, (what) => warn(`${at}: ${what}`));
        if (hook) parsed.hooks.push(hook);
      }
    }
  }
  return parsed;
}

/** The nested form `{matcher, hooks: […]}` stands for its hooks, each with that matcher. */
function flat(entries: readonly unknown[]): unknown[] {
  return entries.flatMap((entry) => {
    if (!isRecord(entry) || !Array.isArray(entry["hooks"])) return [entry];
    const { matcher, hooks } = entry;
    return hooks.map((inner: unknown) => (isRecord(inner) && matcher !== undefined ? { matcher, ...inner } : inner));
  });
}

function parseEntry(
  file: HookFile,
  moment: { name: HookName; alias?: string },
  at: string,
  entry: unknown,
  warn: Warn,
): Hook | undefined {
  if (!isRecord(entry)) return skip(warn, `must be an object, found ${shownValue(entry)}`);
  const matcher = parseMatcher(moment.name, entry["matcher"], warn);
  if (matcher === "invalid") return undefined;
  const common: Common = {
    ...moment,
    id: `${file.path}#${at}`,
    source: file.path,
    layer: file.layer,
    timeoutMs: parseSeconds(entry, warn) * 1000,
    onError: parseOnError(entry["onError"], warn),
    ...(matcher ? { matcher } : {}),
  };
  const type = entry["type"] ?? ("url" in entry ? "http" : "prompt" in entry ? "prompt" : "command");
  switch (type) {
    case "command":
      return parseCommand(common, entry, warn);
    case "http":
      return parseHttp(common, entry, warn);
    case "prompt":
      return parsePrompt(common, entry, warn);
    default:
      return skip(warn, `"type" must be command, http or prompt, found ${shownValue(type)}`);
  }
}

function parseCommand(common: Common, entry: Entry, warn: Warn): CommandHook | undefined {
  const shells = [
    ["bash", "bash"],
    ["command", "sh"],
    ["powershell", "pwsh"],
  ] as const;
  const shell = shells.find(([key]) => isText(entry[key]));
  if (!shell) return skip(warn, 'needs a command: the text of "bash", "command" or "powershell"');
  const { cwd } = entry;
  if (cwd !== undefined && !isText(cwd)) warn(`"cwd" must be a folder, found ${shownValue(cwd)}; the root is used`);
  return {
    ...common,
    type: "command",
    shell: shell[1],
    command: String(entry[shell[0]]),
    env: parseTexts("env", entry["env"], warn),
    ...(isText(cwd) ? { cwd } : {}),
  };
}

function parseHttp(common: Common, entry: Entry, warn: Warn): HttpHook | undefined {
  const { url, allowedEnvVars: names = [] } = entry;
  if (!isText(url)) return skip(warn, `"url" must be an address, found ${shownValue(url)}`);
  const isList = Array.isArray(names) && names.every(isText);
  if (!isList) return skip(warn, `"allowedEnvVars" must be a list of names, found ${shownValue(names)}`);
  return {
    ...common,
    type: "http",
    url,
    headers: parseTexts("headers", entry["headers"], warn),
    allowedEnvVars: names,
  };
}

function parsePrompt(common: Common, entry: Entry, warn: Warn): PromptHook | undefined {
  const { prompt } = entry;
  if (!isText(prompt)) return skip(warn, `"prompt" must be a text, found ${shownValue(prompt)}`);
  if (!TAKES_PROMPT.includes(common.name))
    return skip(warn, `a prompt can be given to ${TAKES_PROMPT.join(", ")} only`);
  return { ...common, type: "prompt", prompt };
}

/** Held against the whole subject. */
function parseMatcher(name: HookName, matcher: unknown, warn: Warn): RegExp | "invalid" | undefined {
  if (matcher === undefined || matcher === "" || matcher === "*") return undefined;
  if (!SUBJECT[name]) {
    warn(`"matcher" means nothing for ${name}, which has nothing to match; the hook always runs`);
    return undefined;
  }
  try {
    if (isText(matcher)) return new RegExp(`^(?:${matcher})$`);
  } catch {
    // Said below, in the same words as for what is no text at all.
  }
  skip(warn, `"matcher" must be a regular expression, found ${shownValue(matcher)}`);
  return "invalid";
}

function parseSeconds(entry: Entry, warn: Warn): number {
  const seconds = entry["timeoutSec"] ?? entry["timeout"] ?? DEFAULT_SECONDS;
  if (typeof seconds === "number" && seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  warn(`"timeoutSec" must be 1 to ${MAX_SECONDS}, found ${shownValue(seconds)}; ${DEFAULT_SECONDS} is used`);
  return DEFAULT_SECONDS;
}

function parseOnError(onError: unknown, warn: Warn): "allow" | "deny" {
  if (onError !== undefined && onError !== "allow" && onError !== "deny")
    warn(`"onError" must be allow or deny, found ${shownValue(onError)}; deny is used`);
  return onError === "allow" ? "allow" : "deny";
}

function parseTexts(field: string, value: unknown, warn: Warn): Record<string, string> {
  if (value === undefined) return {};
  const entries = isRecord(value) ? Object.entries(value) : [];
  const texts = entries.filter((pair): pair is [string, string] => typeof pair[1] === "string");
  if (!isRecord(value) || texts.length < entries.length)
    warn(`"${field}" must be an object of texts, found ${shownValue(value)}; other values are ignored`);
  return Object.fromEntries(texts);
}

function skip(warn: Warn, what: string): undefined {
  warn(`${what}; this hook is not used`);
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
