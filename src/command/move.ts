// `everlong move`: a home to a team's database, and back.
import { commandUsage, type Failure } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import { home, type MoveReport } from "../runtime/client.ts";
import type { Command, CommandCall, CommandOutcome } from "./contract.ts";
import { counted, grouped, table } from "./format.ts";

type MoveOptions = { to?: string; from?: string; tenant: string; user: string; dryRun?: boolean };

export const move: Command = {
  name: "move",
  summary: "copy this home to a team's PostgreSQL, or back",
  json: "value",
  options: [
    { flags: "--to <url>", help: "from this home to postgres://USER:PASSWORD@HOST/NAME" },
    { flags: "--from <url>", help: "from there to this home" },
    { flags: "--tenant <name>", help: "the team", default: "local" },
    { flags: "--user <name>", help: "who owns the personal memories there", default: "local" },
    { flags: "--dry-run", help: "only show what would be copied" },
  ],
  async run({ options }: CommandCall<MoveOptions>, { person }) {
    const { to, from, tenant, user, dryRun = false } = options;
    const url = to ?? from;
    if (url === undefined || (to !== undefined && from !== undefined))
      return fail(commandUsage("Where to?", "everlong move --to URL, or everlong move --from URL"));
    const wish = { url, way: to === undefined ? "from" : "to", tenant, user, dryRun } as const;
    const moved = await (person.watch
      ? person.watch(({ signal, progress }) =>
          home.moving.moveHome(wish, {
            signal,
            onPage: (label, part, total) => progress({ label, part, total, count: part, unit: "row" }),
          }),
        )
      : home.moving.moveHome(wish));
    return moved.ok ? outcomeOf(moved.value) : moved;
  },
};

function outcomeOf(moved: MoveReport): CommandOutcome {
  const { place, dryRun, interrupted, tables, verified } = moved;
  const added = tables.reduce((sum, one) => sum + one.added, 0);
  const shown = tables.filter((one) => one.rows > 0);
  const rows = shown.map((one) => [
    `  ${one.table}`,
    `${grouped(one.rows)} here`,
    `${grouped(one.added)} ${dryRun ? "to add" : "added"}`,
    one.differing > 0 ? `${grouped(one.differing)} changed there, left alone` : "",
  ]);
  const list = shown.length > 0 ? [table(rows)] : [];
  if (interrupted) return fail(stopped(list.join("\n")));
  if (dryRun)
    return ok({ text: [`Would copy ${counted(added, "row")} to ${place}.`, ...list].join("\n"), data: moved });
  if (!verified) return fail(unequal(place, list.join("\n")));
  const head = added > 0 ? `Copied ${counted(added, "row")} to ${place}.` : `Nothing new for ${place}.`;
  return ok({
    text: [head, ...list, "Checked: every row is there. Nothing was changed here."].join("\n"),
    data: moved,
  });
}

const stopped = (list: string): Failure => ({
  code: "interrupted",
  what: ["Stopped.", list].filter(Boolean).join("\n"),
  data: "What was copied so far is kept.",
  next: "Run the same command again to copy the rest.",
  exit: 130,
});

const unequal = (place: string, list: string): Failure => ({
  code: "move_unverified",
  what: `Some rows differ after the copy to ${place}:\n${list}`,
  data: "Nothing was changed here.",
  next: "Run the same command again; if it says the same, please report it.",
  exit: 1,
});
