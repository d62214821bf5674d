// A team's database for one command: by --database or the setting, closed after it.
import { type Failure, refusal } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, type Result } from "../../base/result.ts";
import { openTeamDatabase, type TeamDatabase } from "../../store/postgres/team-database.ts";
import { openWorkspace } from "../workspace.ts";

export async function onTeamDatabase<T>(
  url: string | undefined,
  work: (team: TeamDatabase) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const workspace = await openWorkspace({ flags: { ...optional("gateway.database", url) } });
  if (!workspace.ok) return workspace;
  const address = workspace.value.settings.values["gateway.database"];
  if (address === undefined)
    return fail(
      refusal("usage", "This needs a team's database.", "Give --database URL, or set EVERLONG_DATABASE_URL.", 2),
    );
  const team = await openTeamDatabase(address);
  if (!team.ok) return team;
  try {
    return await work(team.value);
  } finally {
    await team.value.close();
  }
}
