// `everlong consent`: which addresses off this machine may be sent texts of this folder.

import type { ConsentFolder } from "../runtime/client/decision.ts";
import { home } from "../runtime/client.ts";
import { type Command, said, shown } from "./contract.ts";

/** What goes to such an address. */
const SENT =
  "the texts of conversations (prompts, answers, tool results; known secrets are filtered out) and what is searched for, to be made into vectors; where it is an MCP server of this project, what its tools are called with; where it is the catalogue of agents, only the name of this repository";

const list: Command = {
  name: "list",
  summary: "what was agreed to, and what waits for it",
  isDefault: true,
  json: "value",
  async run() {
    const listed = await home.consent.list();
    if (!listed.ok) return listed;
    const { consents, missing, folder } = listed.value;
    const rows = consents.map(({ origin, root, at }) => `${origin}  from ${root}  since ${at}`);
    const waits = missing.map(
      ({ setting, origin }) => `${setting} is ${origin}: nothing is sent there. everlong consent grant ${origin}`,
    );
    const trust = consents.some(({ root }) => root === folder.root) ? untrusted(folder) : [];
    return shown(
      { consents, missing },
      [...(rows.length > 0 ? rows : ["No consent was given."]), ...waits, ...trust].join("\n"),
    );
  },
};

const grant: Command = {
  name: "grant",
  summary: "agree to that address, from this folder",
  arguments: "<url>",
  async run({ args: [url = ""] }) {
    const granted = await home.consent.grant(url);
    if (!granted.ok) return granted;
    const { origin, isThisMachine, folder } = granted.value;
    if (isThisMachine) return said(`${origin} is this machine; it needs no consent.`);
    const sent = `From ${folder.root}, ${origin} may be sent ${SENT}.`;
    return said([sent, ...untrusted(folder), `everlong consent revoke ${origin} takes it back.`].join("\n"));
  },
};

const revoke: Command = {
  name: "revoke",
  summary: "take it back",
  arguments: "<url>",
  async run({ args: [url = ""] }) {
    const revoked = await home.consent.revoke(url);
    if (!revoked.ok) return revoked;
    const { origin, wasGiven, folder } = revoked.value;
    if (!wasGiven) return said(`There was no consent for ${origin} in ${folder.root}.`);
    return said(`Nothing more is sent from ${folder.root} to ${origin}. What was sent before is not called back.`);
  },
};

const untrusted = ({ root, isTrusted }: ConsentFolder): string[] =>
  isTrusted ? [] : [`${root} is not trusted, so nothing is sent yet: everlong trust.`];

export const consent: Command = {
  name: "consent",
  summary: "which addresses off this machine may be sent texts of this folder",
  subcommands: [list, grant, revoke],
};
