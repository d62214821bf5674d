// What a face at a terminal must know before a session is open: its settings, the terminal's own variables, where files go.
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { ok } from "../base/result.ts";
import { processEnvironment } from "../settings/environment.ts";
import type { Flags } from "../settings/flag.ts";
import { resolveHome } from "../settings/home.ts";
import type { ResultPromise } from "./client/open.ts";
import type { OpenOptions } from "./client/session.ts";
import { openWorkspace } from "./workspace.ts";

/** Variables by which a terminal says what it is; the only ones that a face gets to see. */
const TERMINAL_NAMES = [
  ...(["TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORFGBG", "NO_COLOR", "FORCE_COLOR"] as const),
  ...([
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
    "TMUX",
    "STY",
    "SSH_TTY",
    "SSH_CONNECTION",
    "WT_SESSION",
    "XTERM_VERSION",
  ] as const),
] as const;
export type TerminalVariables = Partial<Record<(typeof TERMINAL_NAMES)[number], string>>;

export type UiSettings = {
  theme: string;
  plain: boolean;
  /** What switched plain mode on. */
  plainSource: string;
  ascii: "auto" | "on" | "off";
  color: boolean;
  motion: boolean;
  statusLine: readonly string[];
  statusCommand: string | undefined;
  toolOutputLines: number;
  reasoning: "line" | "full" | "hide";
  bell: "attention" | "done" | "off";
  title: boolean;
};

export type FaceStart = {
  ui: UiSettings;
  terminal: TerminalVariables;
  /** EVERLONG_HOME. */
  home: string;
  /** Git root, else the working folder. */
  root: string;
  folder: string;
  /** How often autopilot goes on by itself. */
  continuationLimit: number;
  /** Lines such as `preference: …` are kept for later sessions. */
  promotesDirectives: boolean;
  /** The secret filter. */
  redact: (text: string) => string;
};

/** Files of the home's folder of themes, by name. */
export async function ownThemes(): Promise<string[]> {
  const home = resolveHome(processEnvironment());
  if (!home.ok) return [];
  const names = await readdir(join(home.value, "themes")).catch(() => []);
  return names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -".json".length));
}

export async function faceStart(options: Pick<OpenOptions, "flags" | "trustFolder">): ResultPromise<FaceStart> {
  const workspace = await openWorkspace({ flags: options.flags as Flags, trustFolder: options.trustFolder });
  if (!workspace.ok) return workspace;
  const { env, settings, paths, root, context, redact } = workspace.value;
  const { values } = settings;
  return ok({
    ui: {
      theme: values["ui.theme"],
      plain: values["ui.plain"],
      plainSource: settings.sources["ui.plain"],
      ascii: values["ui.asciiOnly"] ? "on" : values["ui.ascii"],
      color: values["ui.color"],
      motion: values["ui.motion"] === "on",
      statusLine: values["ui.statusLine"],
      statusCommand: values["ui.statusCommand"],
      toolOutputLines: values["ui.toolOutputLines"],
      reasoning: values["ui.reasoning"],
      bell: values["ui.bell"],
      title: values["ui.title"],
    },
    terminal: Object.fromEntries(
      TERMINAL_NAMES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
    ),
    home: paths.home,
    root,
    folder: basename(context.cwd),
    continuationLimit: values["autopilot.maxContinuations"],
    promotesDirectives:
      values["memory.enabled"] && values["graph.enabled"] && values["memory.graphiti.autoPromote.enabled"],
    redact,
  });
}
