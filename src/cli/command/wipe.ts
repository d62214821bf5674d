// `everlong wipe`: shows what would go, asks, removes it.
import type { Command } from "commander";
import { commandUsage } from "../../base/failure.ts";
import type { WipePlan, WipeScope } from "../../runtime/wipe/plan.ts";
import { EXIT, printFailure } from "../exit.ts";
import { byteSize, counted, table } from "../format/table.ts";
import { askTerminal } from "./ask-terminal.ts";
import type { Done } from "./print.ts";

type Options = { memory?: boolean; sessions?: boolean; all?: boolean; yes?: boolean };

const USAGE = "everlong wipe --memory, --sessions or --all; everlong backup first keeps a copy.";

export function addWipe(program: Command, done: Done): void {
  program
    .command("wipe")
    .description("remove memories, sessions or everything of Everlong from this machine, for good")
    .option("--memory", "memories and the board")
    .option("--sessions", "sessions, also those of other agents, and what was found in them")
    .option("--all", "everything, settings included")
    .option("--yes", "do not ask")
    .action(async (options: Options) => done(await run(options)));
}

async function run(options: Options): Promise<number> {
  const scopes = (["memory", "sessions", "all"] as const).filter((scope) => options[scope]);
  const [scope, ...others] = scopes;
  if (scope === undefined || others.length > 0)
    return printFailure(commandUsage(scope ? "Choose one of them." : "Nothing was chosen.", USAGE));
  const { wipe, wipePlan } = await import("../../runtime/wipe/wipe.ts");
  const plan = await wipePlan(scope);
  if (!plan.ok) return printFailure(plan.error);
  process.stdout.write(planText(plan.value));
  if (plan.value.items.length === 0) return EXIT.done;
  if (!options.yes) {
    if (!process.stdin.isTTY || !process.stdout.isTTY)
      return printFailure(commandUsage("Nobody is here to confirm it.", "Add --yes to remove it without being asked."));
    const answer = await askTerminal("This cannot be undone. Type yes to remove it: ");
    if (answer?.trim() !== "yes") {
      process.stdout.write("Nothing was changed.\n");
      return EXIT.failed;
    }
  }
  const gone = await wipe(plan.value);
  if (!gone.ok) return printFailure(gone.error);
  process.stdout.write(`${doneText(scope)}\n`);
  return EXIT.done;
}

function planText({ home, items, stays, elsewhere }: WipePlan): string {
  const rows = items.map(({ name, count, unit, bytes }) => [
    `  ${name}`,
    counted(count, unit),
    bytes === undefined ? "" : byteSize(bytes),
  ]);
  const lines = items.length === 0 ? [`Nothing to remove in ${home}.`] : [`To be removed from ${home}:`, table(rows)];
  if (stays.length > 0) lines.push(`Not Everlong's, stays: ${stays.join(", ")}`);
  if (elsewhere.length > 0) lines.push("Elsewhere, stays:", ...elsewhere.map((path) => `  ${path}`));
  return `${lines.join("\n")}\n`;
}

const doneText = (scope: WipeScope): string =>
  scope === "all"
    ? "Everything is removed. To remove the program as well: npm uninstall -g everlong"
    : scope === "sessions"
      ? "All sessions are removed. Memories and settings stay."
      : "All memories and board items are removed. Sessions stay, and what was said in them.";
