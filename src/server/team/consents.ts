// Addresses off the nodes' machines that a team's texts may be sent to: one decision of the tenant, for all of its nodes.
import { allRows, changeCount, execute, oneRow, type Unit } from "../../store/unit.ts";

export type TeamConsent = { origin: string; at: string };

export function* hasTeamConsent(origin: string): Unit<boolean> {
  return (yield* oneRow("SELECT at FROM team_consent WHERE origin = ?", origin)) !== undefined;
}

export function* listTeamConsents(): Unit<TeamConsent[]> {
  const rows = yield* allRows("SELECT origin, at FROM team_consent ORDER BY origin");
  return rows.map((row) => ({ origin: String(row["origin"]), at: String(row["at"]) }));
}

export function* grantTeamConsent(origin: string, now: string): Unit<void> {
  const sql = "INSERT INTO team_consent (origin, at) VALUES (?, ?) ON CONFLICT (origin) DO NOTHING";
  yield* execute(sql, origin, now);
}

/** Gives whether there was one. */
export function* revokeTeamConsent(origin: string): Unit<boolean> {
  return (yield* changeCount("DELETE FROM team_consent WHERE origin = ?", origin)) > 0;
}
