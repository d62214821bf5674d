// `everlong consent --tenant`: which addresses a team's nodes may send its texts to, on the team's database.
import { isLoopback } from "../../base/address.ts";
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { originOf } from "../../permission/consent.ts";
import {
  grantTeamConsent,
  hasTeamConsent,
  listTeamConsents,
  revokeTeamConsent,
  type TeamConsent,
} from "../../server/team/consents.ts";
import { processEnvironment } from "../../settings/environment.ts";
import type { RowStore } from "../../store/unit.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { onTeamDatabase } from "./on-database.ts";

/** Whose texts, and where that is written. */
type ConsentingTeam = { tenant: string; database?: string | undefined };

/** Asked before every call: what is taken back counts from the next one on, and so does a database that cannot be asked. */
export const mayTeamSend = async (store: RowStore, origin: string): Promise<boolean> => {
  const consent = await store.read(() => hasTeamConsent(origin), { limitMs: ASK_MS });
  return consent.ok && consent.value;
};
const ASK_MS = 2000;

export const consentOfTeam = {
  list: ({ tenant, database }: ConsentingTeam): Promise<Result<TeamConsent[], Failure>> =>
    onTeamDatabase(database, (team) => team.store(tenant).read(listTeamConsents)),
  grant: (
    address: string,
    where: ConsentingTeam,
  ): Promise<Result<{ origin: string; isThisMachine: boolean }, Failure>> =>
    change(address, where, async (store, origin) => {
      const isThisMachine = isLoopback(origin);
      const granted = isThisMachine
        ? ok(undefined)
        : await store.write(() => grantTeamConsent(origin, systemClock.now()), { holds: true });
      return granted.ok ? ok({ origin, isThisMachine }) : granted;
    }),
  revoke: (address: string, where: ConsentingTeam): Promise<Result<{ origin: string; wasGiven: boolean }, Failure>> =>
    change(address, where, async (store, origin) => {
      const revoked = await store.write(() => revokeTeamConsent(origin), { holds: true });
      return revoked.ok ? ok({ origin, wasGiven: revoked.value }) : revoked;
    }),
};

async function change<T>(
  address: string,
  { tenant, database }: ConsentingTeam,
  work: (store: RowStore, origin: string) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const refused = refuseInToolShell(processEnvironment(), "change consent");
  if (refused) return fail(refused);
  const origin = originOf(address);
  return origin.ok ? onTeamDatabase(database, (team) => work(team.store(tenant), origin.value)) : origin;
}
