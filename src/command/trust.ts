// `everlong trust` and `/trust`: trusting a folder, taking it back, listing.
import { commandUsage } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import { home, type TrustAccess } from "../runtime/client.ts";
import { type CommandCall, type CommandOutcome, describe, type SlashCommand } from "./contract.ts";

type Options = { revoke?: boolean; list?: boolean };

export const trust: SlashCommand = {
  name: "trust",
  summary: "trust the hooks, MCP servers, agents and rules of a folder",
  arguments: "[path]",
  options: [
    { flags: "--revoke", help: "stop trusting it" },
    { flags: "--list", help: "list trusted folders" },
  ],
  async run({ args: [path], options }: CommandCall<Options>, { on }) {
    const access = await on.trust();
    return access.ok ? decide(access.value, options, path) : access;
  },
  slash: {
    usage: "[revoke|list]",
    summary: "trust this folder's hooks, MCP servers, agents and rules",
    async run(text, client) {
      if (text !== "" && text !== "revoke" && text !== "list")
        return fail(commandUsage(`/trust does not take "${text}".`, "/trust, /trust revoke or /trust list."));
      const access = await client.trust();
      if (!access.ok) return access;
      const outcome = await decide(access.value, { [text]: true });
      if (!outcome.ok || text === "list") return outcome;
      return ok({ text: `${outcome.value.text} Takes effect after a restart.` });
    },
  },
};

/** The folder that this runs in. */
export async function trustFolder(): Promise<CommandOutcome> {
  const access = await home.trust();
  return access.ok ? decide(access.value, {}) : access;
}

async function decide(access: TrustAccess, { revoke, list }: Options, path?: string): Promise<CommandOutcome> {
  if (list)
    return describe(
      await access.list(),
      (folders) => folders.map(({ folder, at }) => `${folder}  since ${at}`).join("\n") || "No trusted folders.",
    );
  if (revoke)
    return describe(await access.revoke(path), ({ folder, wasTrusted }) =>
      wasTrusted ? `${folder} is no longer trusted.` : `${folder} was not trusted.`,
    );
  return describe(
    await access.grant(path),
    (folder) => `${folder} is trusted: its hooks, MCP servers, agents, skills, commands and rules are now used.`,
  );
}
