// `everlong wipe`: shows what would go, asks, removes it.
import { commandUsage } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import { home, type WipePlan, type WipeScope } from "../runtime/client.ts";
import { type Command, type CommandCall, output } from "./contract.ts";
import { byteSize, counted, table } from "./format.ts";

const USAGE = "everlong wipe --memory, --sessions or --all; everlong backup first keeps a copy.";

export const wipe: Command = {
  name: "wipe",
  summary: "delete memories, sessions or all Everlong data on this machine",
  options: [
    { flags: "--memory", help: "memories, the board and the facts of the graph" },
    { flags: "--sessions", help: "sessions, including those of other agents, and the search index" },
    { flags: "--all", help: "everything, settings included" },
    { flags: "--yes", help: "don't ask" },
  ],
  async run(
    { options }: CommandCall<{ memory?: boolean; sessions?: boolean; all?: boolean; yes?: boolean }>,
    { person },
  ) {
    const [scope, ...others] = (["memory", "sessions", "all"] as const).filter((one) => options[one]);
    if (scope === undefined || others.length > 0)
      return fail(commandUsage(scope ? "Choose only one." : "Choose what to delete.", USAGE));
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
