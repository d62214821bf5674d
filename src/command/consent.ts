// `everlong consent`: which addresses off this machine may be sent texts of this folder.

import { type ConsentFolder, home } from "../runtime/client.ts";
import { type Command, describe } from "./contract.ts";

/** What goes to such an address. */
const SENT =
  "conversation text (prompts, answers and tool results, without known secrets) and search queries, for embeddings; for an MCP server of this project, the arguments of its tool calls; for the agent catalogue, only the name of this repository";

const list: Command = {
  name: "list",
  summary: "list consents, given and pending",
  isDefault: true,
  json: "value",
  run: async () =>
    describe(await home.consent.list(), ({ consents, missing, folder }) => {
      const rows = consents.map(({ origin, root, at }) => `${origin}  from ${root}  since ${at}`);
      const waits = missing.map(
        ({ setting, origin }) =>
          `${setting} is ${origin}: nothing is sent there yet. To allow it: everlong consent grant ${origin}`,
      );
      const trust = consents.some(({ root }) => root === folder.root) ? untrusted(folder) : [];
      const text = [...(rows.length > 0 ? rows : ["No consents yet."]), ...waits, ...trust].join("\n");
      return { data: { consents, missing }, text };
    }),
};

const grant: Command = {
  name: "grant",
  summary: "allow sending text from this folder to an address",
  arguments: "<url>",
  run: async ({ args: [url = ""] }) =>
    describe(await home.consent.grant(url), ({ origin, isThisMachine, folder, sends }) => {
      if (isThisMachine) return `${origin} is this machine and needs no consent.`;
      const sent = `${origin} may now receive from ${folder.root}: ${sends ? graphitiSends(sends) : SENT}.`;
      return [sent, ...untrusted(folder), `To revoke: everlong consent revoke ${origin}`].join("\n");
    }),
};

const revoke: Command = {
  name: "revoke",
  summary: "take a consent back",
  arguments: "<url>",
  run: async ({ args: [url = ""] }) =>
    describe(await home.consent.revoke(url), ({ origin, wasGiven, folder: { root } }) =>
      wasGiven
        ? `Nothing more is sent from ${root} to ${origin}. What was sent before cannot be taken back.`
        : `${origin} has no consent in ${root}: nothing to revoke.`,
    ),
};

/** What a Graphiti server gets. */
const graphitiSends = (sends: readonly string[]): string =>
  `${sends.map((kind) => kind.replaceAll("_", " ")).join(", ")}, without known secrets`;

const untrusted = ({ root, isTrusted }: ConsentFolder): string[] =>
  isTrusted ? [] : [`${root} is not trusted, so nothing is sent yet. To trust it: everlong trust`];

export const consent: Command = {
  name: "consent",
  summary: "manage which outside addresses may get text from this folder",
  subcommands: [list, grant, revoke],
};
