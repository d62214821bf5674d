// `everlong token`: who may use a team's nodes.
import { refusal } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import { home } from "../runtime/client.ts";
import { type Command, type CommandCall, describe } from "./contract.ts";

const DATABASE = {
  flags: "--database <url>",
  help: "the team's database (default: the setting gateway.database)",
} as const;
const NODE = {
  flags: "--node <url>",
  help: "through this node, with an admin's token in EVERLONG_MEMORY_TOKEN (default: memory.service.url)",
} as const;
const TENANT = { flags: "--tenant <name>", help: "only in this tenant" } as const;

type TokenPlace = { database?: string; node?: string };
type AddOptions = {
  tenant: string;
  user: string;
  scope: string[];
  repo?: string[];
  expires?: string;
} & TokenPlace;

const add: Command = {
  name: "add",
  summary: "make a token for a member and show it once",
  arguments: "<name>",
  json: "value",
  options: [
    { flags: "--tenant <name>", help: "the team", required: true },
    { flags: "--user <name>", help: "the member", required: true },
    { flags: "--scope <list>", help: "any of read, write, approve, admin", kind: "words", required: true },
    { flags: "--repo <pattern>", help: "only this repository, or owner/*; repeat for more", kind: "list" },
    { flags: "--expires <time>", help: "when it expires: 30d, 12h or 2027-01-31" },
    DATABASE,
    NODE,
  ],
  run: async ({ args: [name = ""], options }: CommandCall<AddOptions>) =>
    describe(
      await home.tokens.issueToken(
        {
          ...{ name, tenant: options.tenant, user: options.user, scopes: options.scope },
          ...{ repositories: options.repo ?? [], expires: options.expires },
        },
        options,
      ),
      (data) => ({
        data,
        text: `${data.token}\nThis is ${data.user}'s token in ${data.tenant}. It is not shown again.`,
      }),
    ),
};

const list: Command = {
  name: "list",
  summary: "list tokens and when they were last used",
  isDefault: true,
  json: "lines",
  options: [TENANT, DATABASE, NODE],
  run: async ({ options }: CommandCall<{ tenant?: string } & TokenPlace>) =>
    describe(await home.tokens.tokensOf(options.tenant, options), (rows) => ({
      data: rows,
      text:
        rows
          .map((row) =>
            [
              `${row.tenant}/${row.user}  ${row.name}  ${row.scopes.join(",")}`,
              row.repositories.join(" ") || "all repositories",
              row.revokedAt !== null ? `revoked ${row.revokedAt}` : row.expires === null ? "" : `until ${row.expires}`,
              row.lastUsedAt === null ? "never used" : `last used ${row.lastUsedAt}`,
            ]
              .filter(Boolean)
              .join("  "),
          )
          .join("\n") || "No tokens yet.",
    })),
};

const revoke: Command = {
  name: "revoke",
  summary: "revoke a token by name or id; every node refuses it within 5 seconds",
  arguments: "<name>",
  json: "value",
  options: [TENANT, DATABASE, NODE],
  run: async ({ args: [name = ""], options }: CommandCall<{ tenant?: string } & TokenPlace>) =>
    describe(await home.tokens.endToken(name, options.tenant, options), (ids) => ({
      data: { revoked: ids },
      text: `Revoked: ${name}.`,
    })),
};

const sharing: Command = {
  name: "sharing",
  summary: "say whether others of your team may find your sessions: on or off",
  arguments: "[choice]",
  json: "value",
  options: [{ flags: "--node <url>", help: "the node to ask, with your token (default: memory.service.url)" }],
  async run({ args: [choice], options }: CommandCall<{ node?: string }>) {
    const shares = { on: true, off: false }[choice ?? ""];
    if (choice !== undefined && shares === undefined)
      return fail(refusal("usage", `"${choice}" is neither on nor off.`, "Write: everlong token sharing off", 2));
    return describe(await home.tokens.ownSharing(options.node, shares), (data) => ({
      data,
      text: !data.shares
        ? "Nobody else finds your sessions."
        : data.team === "repository"
          ? "Members whose token covers the repository can find your sessions in it."
          : "Your team does not share sessions. If it begins to, yours will be found too.",
    }));
  },
};

export const token: Command = {
  name: "token",
  summary: "add, list and revoke tokens of a team",
  subcommands: [add, list, revoke, sharing],
};
