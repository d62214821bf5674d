// The gateway on a team's database: records and boards of each tenant, as /api/memory serves them to a member.
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { newMemoryId } from "../../memory/record/id.ts";
import type { Redactor } from "../../memory/secret/filter.ts";
import type { MemoryBackend } from "../../server/memory/contract.ts";
import { MemberDirectory } from "../../server/team/directory.ts";
import type { TeamDoor } from "../../server/team/door.ts";
import { type Member, mayDo } from "../../server/team/member.ts";
import { NodeMetrics } from "../../server/team/metrics.ts";
import { openTeamDatabase, type TeamDatabase } from "../../store/postgres/team-database.ts";
import type { RowStore } from "../../store/unit.ts";
import { isMemoryDenied } from "../memory/service.ts";
import { redactorOf, type Workspace } from "../workspace.ts";

export type Team = { door: TeamDoor; database: TeamDatabase };

export async function openTeam(workspace: Workspace, url: string): Promise<Result<Team, Failure>> {
  const opened = await openTeamDatabase(url);
  if (!opened.ok) return opened;
  const database = opened.value;
  // One of each: keys of requests that run in this process are known by their store.
  const stores = new Map<string, RowStore>();
  const storeOf = (tenant: string): RowStore => {
    const store = stores.get(tenant) ?? database.store(tenant);
    stores.set(tenant, store);
    return store;
  };
  // Anybody can name a tenant in a token: a store is kept only for those that have members.
  const directory = new MemberDirectory((tenant) => database.store(tenant), systemClock);
  // Anybody may ask whether the node is ready, too: who asks at the same time gets the same answer.
  let looking: ReturnType<TeamDatabase["problem"]> | undefined;
  const redactor = redactorOf(workspace);
  const failures: MemoryBackend["failures"] = [];
  return ok({
    database,
    door: {
      find: (token) => directory.find(token),
      knows: (token) => directory.knows(token),
      memory: async (member) =>
        ok(await backendOf(workspace, redactor, failures, database, storeOf(member.tenant), member)),
      async problems() {
        looking ??= database.problem().finally(() => {
          looking = undefined;
        });
        const problem = await looking;
        return problem ? [problem.code] : [];
      },
      metrics: new NodeMetrics(),
      pool: () => database.pool.use,
    },
  });
}

async function backendOf(
  workspace: Workspace,
  redactor: Redactor,
  failures: MemoryBackend["failures"],
  { key }: TeamDatabase,
  store: RowStore,
  member: Member,
): Promise<MemoryBackend> {
  const { storedStrategy } = await import("../../memory/record/embedded/strategy.ts");
  const {
    redact,
    settings: { values },
  } = workspace;
  const { user } = member;
  const parts = { open: async () => ok(store), hashKey: key, user, reach: member, clock: systemClock, redact };
  return {
    enabled: values["memory.enabled"],
    userScope: values["memory.userScope"],
    store,
    strategy: (inside) => storedStrategy({ ...parts, ...(inside ? { inside } : {}) }),
    user,
    reach: member,
    mayApprove: mayDo(member, "approve"),
    tokenName: member.token.name,
    denied: isMemoryDenied(workspace),
    bound: { maxTokens: values["memory.prompt.maxTokens"], maxRecords: values["memory.prompt.maxRecords"] },
    redactor,
    redact,
    hashKey: key,
    newId: () => newMemoryId(),
    failures,
    // Sessions, and what is sent to them, stay on the machine of whoever has them.
    inbox: async () => ({ type: "entries", entries: [] }),
    removeInbox: async () => false,
    sidekicks: async () => NO_SIDEKICKS,
    tree: () => undefined,
    clock: systemClock,
  };
}

const NO_SIDEKICKS = {
  switches: { memory: false, enabled: false, off: [], maxTokensPerTurn: 0, maxTokensPerSession: 0 },
  items: [],
  runs: [],
};
