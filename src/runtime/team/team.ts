// The gateway on a team's database: records and boards of each tenant, as /api/memory serves them to a member.
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import type { RowRecall } from "../../memory/recall/row-recall.ts";
import { newMemoryId } from "../../memory/record/id.ts";
import { PromptCache } from "../../memory/record/prompt-cache.ts";
import { RecallTally } from "../../memory/record/recall-tally.ts";
import type { Redactor } from "../../memory/secret/filter.ts";
import type { MemoryBackend } from "../../server/memory/contract.ts";
import { MemberDirectory } from "../../server/team/directory.ts";
import type { TeamDoor } from "../../server/team/door.ts";
import { LOCAL_MEMBER, type Member, mayDo, personOf } from "../../server/team/member.ts";
import { NodeMetrics, type QueueDepths } from "../../server/team/metrics.ts";
import { openTeamDatabase, type TeamDatabase } from "../../store/postgres/team-database.ts";
import { oneRow, type RowStore } from "../../store/unit.ts";
import { isMemoryDenied } from "../memory/service.ts";
import { redactorOf, type Workspace } from "../workspace.ts";
import { TeamGraphs } from "./graph.ts";
import { lookForWork } from "./left-work.ts";
import { memberRecall, TeamRecalls } from "./recall.ts";
import { memberSharing } from "./sharing.ts";
import { tokensOfTenant } from "./token-store.ts";

type Team = {
  door: TeamDoor;
  database: TeamDatabase;
  storeOf(tenant: string): RowStore;
  recallOf(tenant: string): RowRecall;
  /** Ends what works in the background, and the connections. */
  close(): Promise<void>;
};
type TenantParts = { store: RowStore; tally: RecallTally };

/** Whoever reads the figures does not wait for a database that is away. */
const QUEUES_MS = 2000;
/** How often it is written how often memories were shown. */
const TALLY_MS = 5000;

export async function openTeam(
  workspace: Workspace,
  url: string,
  onTrouble: (message: string) => void = () => undefined,
): Promise<Result<Team, Failure>> {
  const opened = await openTeamDatabase(url, { follows: true });
  if (!opened.ok) return opened;
  const database = opened.value;
  // One of each: keys of requests that run in this process are known by their store.
  const stores = new Map<string, TenantParts>();
  const partsOf = (tenant: string): TenantParts => {
    const earlier = stores.get(tenant);
    if (earlier) return earlier;
    const store = database.store(tenant);
    const parts = { store, tally: new RecallTally(store, () => systemClock.now()) };
    stores.set(tenant, parts);
    return parts;
  };
  const storeOf = (tenant: string): RowStore => partsOf(tenant).store;
  const flush = (): Promise<unknown> => Promise.all([...stores.values()].map(({ tally }) => tally.flush()));
  const flushing = setInterval(() => void flush(), TALLY_MS);
  const recalls = new TeamRecalls(workspace, storeOf, onTrouble);
  const recallOf = (tenant: string): RowRecall => recalls.of(tenant);
  // Anybody can name a tenant in a token: a store is kept only for those that have members.
  const sharing = workspace.settings.values["team.shareSessions"];
  const directory = new MemberDirectory((tenant) => database.store(tenant), systemClock, sharing === "repository");
  // Anybody may ask whether the node is ready, too: who asks at the same time gets the same answer.
  let looking: ReturnType<TeamDatabase["problem"]> | undefined;
  const redactor = redactorOf(workspace);
  const failures: MemoryBackend["failures"] = [];
  const prompts = new PromptCache(systemClock);
  const graphs = new TeamGraphs({ workspace, key: database.key, storeOf, recallOf, onTrouble });
  const endLooking = lookForWork(
    (tenant) => database.store(tenant),
    (tenant) => {
      graphs.wake(tenant);
      recalls.wake(tenant);
    },
  );
  const metrics = new NodeMetrics();
  const recallFor = (member: Member) =>
    memberRecall(workspace, recallOf(member.tenant), member, (ms) => metrics.recalled(ms));
  const memoryFor = (member: Member) =>
    backendOf(workspace, { redactor, failures, prompts }, database, partsOf(member.tenant), member);
  return ok({
    database,
    ...{ storeOf, recallOf },
    async close() {
      clearInterval(flushing);
      endLooking();
      await graphs.close();
      await recalls.close();
      await flush();
      await database.close();
    },
    door: {
      find: (token) => directory.find(token),
      knows: (token) => directory.knows(token),
      recall: async (member) => ok(recallFor(member)),
      memory: async (member) => ok(await memoryFor(member)),
      async mcp(member, query) {
        const { memberTools } = await import("./mcp.ts");
        return memberTools(
          {
            ...{ user: member.user, recall: recallFor(member), memory: await memoryFor(member) },
            redact: workspace.redact,
          },
          query,
        );
      },
      sharing: ({ tenant, user }) => memberSharing(storeOf(tenant), user, sharing),
      tokens: ({ tenant }) => tokensOfTenant(database, tenant),
      graph: (member = LOCAL_MEMBER) => graphs.services(member),
      graphViews: (member) => graphs.views(member),
      async problems() {
        looking ??= database.problem().finally(() => {
          looking = undefined;
        });
        const problem = await looking;
        return problem ? [problem.code] : [];
      },
      metrics,
      pool: () => database.pool.use,
      queues: () => queueDepths([...stores.values()].map(({ store }) => store)),
    },
  });
}

const QUEUES = {
  episodes: "SELECT count(*) AS n FROM graph_episode WHERE state = 'queued'",
  vectors: "SELECT count(*) AS n FROM recall_waiting",
};

/** How much waits in the queues of all tenants that this node serves, added up. */
async function queueDepths(stores: readonly RowStore[]): Promise<QueueDepths> {
  const depths: Record<string, number> = {};
  for (const store of stores)
    for (const [queue, sql] of Object.entries(QUEUES)) {
      const row = await store.read(() => oneRow(sql), { limitMs: QUEUES_MS });
      if (!row.ok) return {};
      depths[queue] = (depths[queue] ?? 0) + Number(row.value?.["n"]);
    }
  return depths;
}

async function backendOf(
  workspace: Workspace,
  { redactor, failures, prompts }: { redactor: Redactor; failures: MemoryBackend["failures"]; prompts: PromptCache },
  { key, generation }: TeamDatabase,
  { store, tally }: TenantParts,
  member: Member,
): Promise<MemoryBackend> {
  const { storedStrategy } = await import("../../memory/record/embedded/strategy.ts");
  const {
    redact,
    settings: { values },
  } = workspace;
  const { user, tenant } = member;
  const parts = {
    ...{ open: async () => ok(store), hashKey: key, user, reach: member, clock: systemClock, redact },
    ...{ generation: () => generation(tenant), prompts: { cache: prompts, key: personOf(member) }, tally },
  };
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
