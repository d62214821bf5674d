// The question whether text of this folder may go to a Graphiti server: typed, so that any face can show it, and its answer.
import { fail, ok } from "../base/result.ts";
import { listConsents, saveGraphitiConsent } from "../permission/consent.ts";
import type { Flags } from "../settings/flag.ts";
import type { ResultPromise } from "./client/open.ts";
import type { OpenOptions } from "./client/session.ts";
import { graphitiStateOf, type SentKind, sendsOf, serverOf } from "./graph/graphiti-gate.ts";
import { changeInHome } from "./home-file.ts";
import { storedSettings } from "./settings-access.ts";
import { refuseInToolShell } from "./tool-shell.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

export type ConsentQuestion = {
  /** What would send text. */
  feature: string;
  /** Whose text. */
  folder: string;
  /** The exact address that the answer is about. */
  endpoint: string;
  /** By name, as they are written down with the answer. */
  kinds: SentKind[];
  /** The same in words. */
  sends: string[];
  notSent: string[];
  /** The command that takes an "allow" back. */
  revoke: string;
};
/** `allow`: for this folder and address. `not_now`: asked again with the next session. `never`: not asked again. */
const CONSENT_CHOICES = ["allow", "not_now", "never"] as const;
export type ConsentChoice = (typeof CONSENT_CHOICES)[number];
/** `switched_off`: the setting that asked for it; `declined`: in this folder, for this address. */
export type ConsentEffect = "allowed" | "not_now" | "switched_off" | "declined";

const SENDS: Readonly<Record<SentKind, string>> = {
  user_messages: "what you write",
  assistant_messages: "what the agent answers",
  promotions: "what you promote",
  context_messages: "who owns this folder's memory: your login and the folder's name",
  git_metadata: "branch, commit, and whether files have changed",
};
export const sendsText = (kinds: readonly SentKind[]): string[] => kinds.map((kind) => SENDS[kind]);

const NOT_SENT = [
  "secrets that Everlong recognises",
  "files and tool output",
  "file paths",
  "work of subagents",
  "sessions from before, unless you run everlong graph backfill",
];

/** As the session will be opened. */
type AskedFor = Partial<Pick<OpenOptions, "flags" | "trustFolder">>;
const openFor = ({ flags = {}, trustFolder = false }: AskedFor) =>
  openWorkspace({ flags: flags as Flags, trustFolder });

/** Undefined: there is nothing to ask in this folder, or it is not trusted yet. */
export async function consentQuestion(options: AskedFor = {}): Promise<ConsentQuestion | undefined> {
  const workspace = await openFor(options);
  return workspace.ok ? questionIn(workspace.value) : undefined;
}

async function questionIn(workspace: Workspace): Promise<ConsentQuestion | undefined> {
  const endpoint = serverOf(workspace);
  if (endpoint === undefined || (await graphitiStateOf(workspace)) !== "no_consent") return undefined;
  const kinds = sendsOf(workspace);
  return {
    feature: "Graphiti memory",
    folder: workspace.root,
    endpoint,
    kinds,
    sends: sendsText(kinds),
    notSent: NOT_SENT,
    revoke: `everlong consent revoke ${endpoint}`,
  };
}

/** The answer holds for what the question named, whatever the settings say by now. */
export async function answerConsent(
  { folder: root, endpoint, kinds: sends }: Pick<ConsentQuestion, "folder" | "endpoint" | "kinds">,
  choice: ConsentChoice,
  options: AskedFor = {},
): ResultPromise<ConsentEffect> {
  const opened = await openFor(options);
  if (!opened.ok) return opened;
  const { paths, env } = opened.value;
  const refused = refuseInToolShell(env, "change consent");
  if (refused) return fail(refused);
  if (choice === "not_now") return ok("not_now");
  const about = { version: 1 as const, workspace: root, endpoint };
  const at = new Date().toISOString();
  if (choice === "never" && (await isOnlyHere(opened.value))) {
    const off = await storedSettings.set("memory.graphiti.enabled", "false", {});
    if (!off.ok) return off;
    // The file may ask for it under another name as well.
    const after = await openFor(options);
    if (after.ok && !after.value.settings.values["memory.graphiti.enabled"]) return ok("switched_off");
  }
  const answer = choice === "allow" ? { ...about, sends, consentedAt: at } : { ...about, declinedAt: at };
  const saved = await saveGraphitiConsent(paths.home, { root, endpoint, answer }, changeInHome(paths.home));
  return saved.ok ? ok(choice === "allow" ? "allowed" : "declined") : saved;
}

/** The user's own settings ask for it, and no other folder has agreed: switching it off takes nothing from anybody. */
async function isOnlyHere({ settings, paths, root }: Workspace): Promise<boolean> {
  if (settings.sources["memory.graphiti.enabled"] !== "user") return false;
  const consents = await listConsents(paths.home);
  return consents.ok && !consents.value.some((one) => one.isGraphiti && one.root !== root);
}
