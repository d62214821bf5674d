// `everlong wipe`: shows what would go, asks, removes it.
import { commandUsage } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import { home, type WipePlan, type WipeScope } from "../runtime/client.ts";
import { type Command, type CommandCall, output } from "./contract.ts";
import { byteSize, counted, table } from "./format.ts";
import type { TeamWipe } from "./wipe-team.ts";

type WipeOptions = Partial<TeamWipe> & { memory?: boolean; sessions?: boolean; all?: boolean };

const USAGE = "everlong wipe --memory, --sessions, --all or --tenant NAME; everlong backup first keeps a copy.";

export const wipe: Command = {
  name: "wipe",
  summary: "delete memories, sessions or everything, here or for a team",
  options: [
    { flags: "--memory", help: "memories, the board and the facts of the graph" },
    { flags: "--sessions", help: "sessions, including those of other agents, and the search index" },
    { flags: "--all", help: "everything, settings included" },
    { flags: "--tenant <name>", help: "everything of this team in its database" },
    { flags: "--user <name>", help: "with --tenant: only this member's data" },
    { flags: "--database <url>", help: "the team's database (default: the setting gateway.database)" },
    { flags: "--yes", help: "don't ask" },
  ],
  async run({ options }: CommandCall<WipeOptions>, { person }) {
    const { tenant } = options;
    const [scope, ...others] = (["memory", "sessions", "all"] as const).filter((one) => options[one]);
    if (others.length > 0 || (scope && tenant !== undefined)) return fail(commandUsage("Choose only one.", USAGE));
    if (tenant !== undefined) return (await import("./wipe-team.ts")).wipeTeam({ ...options, tenant }, person);
    if (options.user !== undefined || options.database !== undefined)
      return fail(commandUsage("--user and --database need --tenant.", USAGE));
    if (scope === undefined) return fail(commandUsage("Choose what to delete.", USAGE));
    const plan = await home.removal.wipePlan(scope);
    if (!plan.ok) return plan;
    if (plan.value.items.length === 0) return output(planText(plan.value));
    person.print(planText(plan.value));
    if (!options.yes) {
      if (!person.ask)
        return fail(commandUsage("No terminal to confirm this in.", "Add --yes to delete without asking."));
      const answer = await person.ask("This cannot be undone. Type yes to delete it: ");
      if (answer?.trim() !== "yes") return ok({ text: "Nothing was changed.", exit: 1 });
    }
    const gone = await home.removal.wipe(plan.value);
    return gone.ok ? output(GONE[scope]) : gone;
  },
};

function planText({ home: folder, items, stays, elsewhere }: WipePlan): string {
  const rows = items.map(({ name, count, unit, bytes }) => [
    `  ${name}`,
    counted(count, unit),
    bytes === undefined ? "" : byteSize(bytes),
  ]);
  const lines =
    items.length === 0 ? [`Nothing to delete in ${folder}.`] : [`This will be deleted from ${folder}:`, table(rows)];
  if (stays.length > 0) lines.push(`Not Everlong's, kept: ${stays.join(", ")}`);
  if (elsewhere.length > 0) lines.push("Elsewhere, kept:", ...elsewhere.map((path) => `  ${path}`));
  return lines.join("\n");
}

const GONE: Record<WipeScope, string> = {
  all: "Everything was deleted. To remove the program as well: npm uninstall -g everlong",
  sessions: "All sessions were deleted. Memories and settings are kept.",
  memory: "All memories, board items and facts were deleted. Sessions are kept, with everything said in them.",
};
