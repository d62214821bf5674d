// `everlong trust` and `/trust`: trusting a folder, taking it back, listing.
import { commandUsage } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import type { TrustAccess } from "../runtime/client/decision.ts";
import { home } from "../runtime/client.ts";
import { type Call, type Outcome, type SlashCommand, said } from "./contract.ts";

type Options = { revoke?: boolean; list?: boolean };

export const trust: SlashCommand = {
  name: "trust",
  summary: "trust a folder's own hooks, servers, agents and rules",
  arguments: "[path]",
  options: [
    { flags: "--revoke", help: "take it back" },
    { flags: "--list", help: "list trusted folders" },
  ],
  async run({ args: [path], options }: Call<Options>, { on }) {
    const access = await on.trust();
    return access.ok ? decide(access.value, options, path) : access;
  },
  slash: {
    usage: "[revoke|list]",
    summary: "trust this folder's own hooks, servers, agents and rules",
    async run(text, client) {
      if (text !== "" && text !== "revoke" && text !== "list")
        return fail(commandUsage(`/trust does not take "${text}".`, "/trust, /trust revoke or /trust list."));
      const access = await client.trust();
      if (!access.ok) return access;
      const outcome = await decide(access.value, { [text]: true });
      if (!outcome.ok || text === "list") return outcome;
      return ok({ text: `${outcome.value.text} It counts from the next start.` });
    },
  },
};

/** The folder that this runs in. */
export async function trustFolder(): Promise<Outcome> {
  const access = await home.trust();
  return access.ok ? decide(access.value, {}) : access;
}

async function decide(access: TrustAccess, { revoke, list }: Options, path?: string): Promise<Outcome> {
  if (list) {
    const folders = await access.list();
    if (!folders.ok) return folders;
    const rows = folders.value.map(({ folder, at }) => `${folder}  since ${at}`);
    return said(rows.length === 0 ? "No folder is trusted." : rows.join("\n"));
  }
  if (revoke) {
    const revoked = await access.revoke(path);
    if (!revoked.ok) return revoked;
    const { folder, wasTrusted } = revoked.value;
    return said(wasTrusted ? `${folder} is no longer trusted.` : `${folder} was not trusted.`);
  }
  const folder = await access.grant(path);
  if (!folder.ok) return folder;
  return said(`${folder.value} is trusted: its own hooks, MCP servers, agents, skills, commands and rules may work.`);
}
