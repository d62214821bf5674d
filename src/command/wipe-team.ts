// `everlong wipe --tenant`: a member or a whole tenant leaves a team's database.
import { commandUsage } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import { home } from "../runtime/client.ts";
import type { CommandOutcome, Person } from "./contract.ts";
import { counted, table } from "./format.ts";

export type TeamWipe = { tenant: string; user?: string; database?: string; yes?: boolean };

export async function wipeTeam({ tenant, user, database, yes }: TeamWipe, person: Person): Promise<CommandOutcome> {
  const leaving = { tenant, user };
  const plan = await home.tenants.removalPlan(leaving, database);
  if (!plan.ok) return plan;
  const rows = Object.entries(plan.value).filter(([, count]) => count > 0);
  const who = user === undefined ? `tenant ${tenant}` : `${user} in ${tenant}`;
  if (rows.length === 0) return ok({ text: `The database has no data of ${who}.`, data: { ...leaving, counts: {} } });
  const list = table(rows.map(([name, count]) => [`  ${name}`, counted(count, "row")]));
  person.print(`Data of ${who} to delete:\n${list}`);
  if (user !== undefined) person.print("Repository memories stay, without the member's name.");
  if (!yes) {
    if (!person.ask)
      return fail(commandUsage("No terminal to confirm this in.", "Add --yes to delete without asking."));
    const answer = await person.ask("This cannot be undone. Type yes to delete it: ");
    if (answer?.trim() !== "yes") return ok({ text: "Nothing was changed.", exit: 1 });
  }
  const gone = await home.tenants.removeRows(leaving, database);
  if (!gone.ok) return gone;
  const sum = Object.values(gone.value).reduce((all, count) => all + count, 0);
  return ok({ text: `Deleted ${counted(sum, "row")} of ${who}.`, data: { ...leaving, counts: gone.value } });
}
