// `everlong consent`: which addresses off this machine may be sent texts of this folder.

import { ok } from "../base/result.ts";
import {
  type ConsentChoice,
  type ConsentEffect,
  type ConsentFolder,
  type ConsentQuestion,
  home,
  type OpenOptions,
} from "../runtime/client.ts";
import {
  type Command,
  type CommandCall,
  type CommandOutcome,
  describe,
  type Person,
  type SlashCommand,
} from "./contract.ts";

/** What goes to such an address. */
const SENT =
  "conversation text (prompts, answers and tool results, without known secrets) and search queries, for embeddings; for an MCP server of this project, the arguments of its tool calls; for the agent catalogue, only the name of this repository";
/** What a team's nodes send to the embedder of their settings. */
const TEAM_SENT = "memories, what members said in proxied sessions (without known secrets) and search queries";

const TEAM = [
  { flags: "--tenant <name>", help: "for the nodes of this team, instead of this folder" },
  { flags: "--database <url>", help: "the team's database (default: the setting gateway.database)" },
] as const;
type TeamOptions = { tenant?: string; database?: string };
/** The team that is meant; undefined: this folder. */
const teamOf = ({ tenant, database }: TeamOptions) => (tenant === undefined ? undefined : { tenant, database });

const list: Command = {
  name: "list",
  summary: "list consents, given and pending",
  isDefault: true,
  json: "value",
  options: TEAM,
  async run({ options }: CommandCall<TeamOptions>) {
    const team = teamOf(options);
    if (team)
      return describe(await home.teamConsent.list(team), (consents) => ({
        data: { consents },
        text: consents.map(({ origin, at }) => `${origin}  since ${at}`).join("\n") || "No consents yet.",
      }));
    return describe(await home.consent.list(), ({ consents, declined, missing, folder }) => {
      const rows = [
        ...consents.map(({ origin, root, at }) => `${origin}  from ${root}  since ${at}`),
        ...declined.map(({ origin, root, at }) => `${origin}  declined in ${root}  since ${at}`),
      ];
      const waits = missing.map(
        ({ setting, origin }) =>
          `${setting} is ${origin}: nothing is sent there yet. To allow it: everlong consent grant ${origin}`,
      );
      const trust = consents.some(({ root }) => root === folder.root) ? untrusted(folder) : [];
      const text = [...(rows.length > 0 ? rows : ["No consents yet."]), ...waits, ...trust].join("\n");
      return { data: { consents, declined, missing }, text };
    });
  },
};

const ask: Command = {
  name: "ask",
  summary: "answer this folder's open question",
  async run(_call, { person }) {
    const question = await home.consent.question();
    if (!question) return ok({ text: "Nothing here needs your consent." });
    if (person.ask) return (await askConsent(question, person)) ?? ok({ text: "Nothing was changed." });
    return ok({ text: [consentText(question), ...howToAnswer(question)].join("\n"), exit: 1 });
  },
};

const howToAnswer = ({ endpoint }: ConsentQuestion): string[] => [
  `To allow it: everlong consent grant ${endpoint}`,
  `To say no for good: everlong consent decline ${endpoint}`,
];

const decline: Command = {
  name: "decline",
  summary: "say no for good to sending text from this folder to an address",
  arguments: "<url>",
  run: async ({ args: [url = ""] }) =>
    describe(await home.consent.decline(url), ({ origin, effect, folder }) =>
      effectText({ endpoint: origin, folder: folder.root }, effect),
    ),
};

/** The question as every face words it. */
export const consentText = ({ feature, folder, endpoint, sends, notSent, revoke }: ConsentQuestion): string =>
  [
    `${feature} wants to send text from ${folder} to ${endpoint}.`,
    `  Sent: ${sends.join("; ")}.`,
    `  Not sent: ${notSent.join("; ")}.`,
    `  To take it back later: ${revoke}`,
  ].join("\n");

export const consentChoices: readonly { choice: ConsentChoice; text: string }[] = [
  { choice: "allow", text: "allow, for this folder and address" },
  { choice: "not_now", text: "not now" },
  { choice: "never", text: "never" },
];

/** Asks until one of the choices is named; undefined when nobody answered, which changes nothing. */
export async function askConsent(
  question: ConsentQuestion,
  { print, ask }: Pick<Person, "print" | "ask">,
  open: Partial<Pick<OpenOptions, "flags" | "trustFolder">> = {},
): Promise<CommandOutcome | undefined> {
  print([consentText(question), ...consentChoices.map(({ text }, i) => `  ${i + 1}. ${text}`)].join("\n"));
  for (;;) {
    const answer = await ask?.("Your choice: ");
    if (answer === undefined) return undefined;
    const chosen = consentChoices[Number(answer.trim()) - 1];
    if (!chosen) continue;
    return settleConsent(question, chosen.choice, open);
  }
}

export const settleConsent = async (
  question: ConsentQuestion,
  choice: ConsentChoice,
  open: Partial<Pick<OpenOptions, "flags" | "trustFolder">> = {},
): Promise<CommandOutcome> =>
  describe(await home.consent.answer(question, choice, open), (effect) => effectText(question, effect));

function effectText({ endpoint, folder }: Pick<ConsentQuestion, "endpoint" | "folder">, effect: ConsentEffect): string {
  switch (effect) {
    case "allowed":
      return `${endpoint} may now receive text from ${folder}. To take it back: everlong consent revoke ${endpoint}`;
    case "not_now":
      return "Nothing is sent. You are asked again with the next session; or run: everlong consent ask";
    case "switched_off":
      return "Nothing is sent, and memory.graphiti.enabled is now false. To be asked again: everlong settings set memory.graphiti.enabled true";
    case "declined":
      return `Nothing is sent from ${folder} to ${endpoint}, and you are not asked again. To change your mind: everlong consent grant ${endpoint}`;
  }
}

const grant: Command = {
  name: "grant",
  summary: "allow sending text from this folder to an address",
  arguments: "<url>",
  options: TEAM,
  async run({ args: [url = ""], options }: CommandCall<TeamOptions>) {
    const team = teamOf(options);
    if (team)
      return describe(await home.teamConsent.grant(url, team), ({ origin, isThisMachine }) =>
        isThisMachine
          ? `${origin} is the node's own machine and needs no consent.`
          : `${origin} may now receive ${TEAM_SENT} of ${team.tenant}, from every node.\nTo revoke: everlong consent revoke ${origin} --tenant ${team.tenant}`,
      );
    return describe(await home.consent.grant(url), ({ origin, isThisMachine, folder, sends }) => {
      if (isThisMachine) return `${origin} is this machine and needs no consent.`;
      const sent = `${origin} may now receive from ${folder.root}: ${sends ? graphitiSends(sends) : SENT}.`;
      return [sent, ...untrusted(folder), `To revoke: everlong consent revoke ${origin}`].join("\n");
    });
  },
};

const revoke: Command = {
  name: "revoke",
  summary: "take a consent back",
  arguments: "<url>",
  options: TEAM,
  async run({ args: [url = ""], options }: CommandCall<TeamOptions>) {
    const team = teamOf(options);
    if (team)
      return describe(await home.teamConsent.revoke(url, team), ({ origin, wasGiven }) =>
        wasGiven
          ? `No node sends texts of ${team.tenant} to ${origin} any more. What was sent before cannot be taken back.`
          : `${origin} has no consent of ${team.tenant}: nothing to revoke.`,
      );
    return describe(await home.consent.revoke(url), ({ origin, wasGiven, wasDeclined, folder: { root } }) => {
      if (wasGiven) return `Nothing more is sent from ${root} to ${origin}. What was sent before cannot be taken back.`;
      if (wasDeclined) return `${origin} is no longer declined in ${root}. Nothing is sent until you allow it.`;
      return `${origin} has no consent in ${root}: nothing to revoke.`;
    });
  },
};

/** What a Graphiti server gets. */
const graphitiSends = (sends: readonly string[]): string =>
  `${sends.join("; ")}; without secrets that Everlong recognises`;

const untrusted = ({ root, isTrusted }: ConsentFolder): string[] =>
  isTrusted ? [] : [`${root} is not trusted, so nothing is sent yet. To trust it: everlong trust`];

export const consent: SlashCommand = {
  name: "consent",
  summary: "manage which outside addresses may get text from this folder",
  subcommands: [list, ask, grant, revoke, decline],
  slash: { usage: "[list|ask|grant|revoke|decline]" },
};
