// `everlong export`: everything that a team's database has of one tenant; `/export`: the session that is open.
import { once } from "node:events";
import { home } from "../runtime/client.ts";
import type { CommandCall, SlashCommand } from "./contract.ts";
import { exportOutcome } from "./session.ts";

export const exportAll: SlashCommand = {
  name: "export",
  summary: "print all data of a team as JSON lines",
  options: [
    { flags: "--tenant <name>", help: "the team", required: true },
    { flags: "--database <url>", help: "the team's database (default: the setting gateway.database)" },
  ],
  async own({ options: { tenant, database } }: CommandCall<{ tenant: string; database?: string }>, process) {
    const write = async (line: string): Promise<void> => {
      if (!process.stdout.write(line)) await once(process.stdout, "drain");
    };
    const outcome = await home.tenants.exportTenant(tenant, database, write);
    return outcome.ok ? 0 : process.fail(outcome.error);
  },
  slash: {
    usage: "md|html|json|jsonl [PATH]",
    summary: "export this session to a file",
    async run(text, client) {
      const [format = "md", ...path] = text.split(/\s+/).filter(Boolean);
      return exportOutcome(await client.session.export(format, path.join(" ") || undefined));
    },
  },
};
