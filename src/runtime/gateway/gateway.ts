// The gateway of this home: settings, store, proxy and server put together; `serve` and `with` start it.
import { join } from "node:path";
import { isLoopbackHost } from "../../base/address.ts";
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { VERSION } from "../../base/version.ts";
import { repositoryKey } from "../../host/git.ts";
import { packageRoot } from "../../host/package-root.ts";
import { isRunToken } from "../../proxy/identify/run.ts";
import { createProxy } from "../../proxy/proxy.ts";
import { type ProxySettings, proxySettings } from "../../proxy/settings.ts";
import { upstreamsOf } from "../../proxy/upstream/choose.ts";
import { UpstreamPools } from "../../proxy/upstream/pool.ts";
import type { GatewayEvent } from "../../schema/event/gateway.ts";
import { findGateway, pidOf, whoListens } from "../../server/find.ts";
import { addressOf, startGateway } from "../../server/listen.ts";
import { LOCAL_MEMBER, personOf } from "../../server/team/member.ts";
import { isTeamToken } from "../../server/team/tokens.ts";
import { ensureToken, sameToken } from "../../server/token.ts";
import type { Flags } from "../../settings/flag.ts";
import { isFileDamage } from "../../store/fault.ts";
import { suspect } from "../../store/rebuild/suspect.ts";
import { reportCrash } from "../crash.ts";
import { openDashboard } from "../dashboard/dashboard.ts";
import { HomeWatch } from "../dashboard/watch.ts";
import { openServedGraph } from "../graph/graph.ts";
import { openGraphOperations } from "../graph/operations.ts";
import { servedTools } from "../mcp/served.ts";
import { openMemoryService } from "../memory/service.ts";
import { catalogOf } from "../model.ts";
import { logRequest, recordFailure } from "../program-log.ts";
import { openRecallOperations } from "../recall/operations.ts";
import { teamServices } from "../team/proxied.ts";
import { openTeam } from "../team/team.ts";
import { openWorkspace, secretKey, type Workspace } from "../workspace.ts";
import { type GatewayFacts, gatewayFacts } from "./facts.ts";
import { GatewayHealth } from "./health.ts";
import { boundHeap } from "./heap-bounds.ts";
import { GatewayObserver } from "./observer.ts";
import { operationsOn } from "./operations.ts";
import { runsOf } from "./run-token.ts";
import { type SharedServices, sharedServices } from "./shared-services.ts";

export type RunningGateway = {
  address: string;
  /** For callers that present themselves: never printed, never an argument. */
  token: string;
  facts: GatewayFacts;
  warnings: readonly string[];
  /** A fresh one-time link to the dashboard. */
  link(): string;
  on(listener: (event: GatewayEvent) => void): () => void;
  /** Something went wrong that no request can be blamed for; the gateway goes on. Gives the sentence to print. */
  report(error: unknown): string;
  close(): Promise<void>;
};

/** A bug that comes with every request must not fill the disk. */
const MOST_REPORTS = 10;
/** A database implies that callers are many people: each needs a token. */
const ofTeam = (settings: ProxySettings): ProxySettings => ({
  ...settings,
  tenancy: "per-identity",
  requireToken: true,
});
/** W10: what streams may take when a node is told to end. */
const TEAM_DRAIN_MS = 30_000;
/** On a busy machine; nobody is served before. */
const WARM_MS = 10_000;

export async function openGateway(flags: Flags = {}): Promise<Result<RunningGateway, Failure>> {
  const workspace = await openWorkspace({ flags });
  if (!workspace.ok) return workspace;
  const { paths, settings: loaded } = workspace.value;
  const { values } = loaded;
  const token = ensureToken(paths.home);
  if (!token.ok) return token;
  const url = values["gateway.database"];
  const team = url === undefined ? undefined : await openTeam(workspace.value, url);
  if (team && !team.ok) return team;
  const settings = team ? ofTeam(proxySettings(values)) : proxySettings(values);
  const { catalog, warnings } = catalogOf(workspace.value);
  const health = new GatewayHealth(
    () => performance.now(),
    (part, code) => recordFailure(workspace.value, { part, code }),
  );
  const soft = (part: string, { code }: { code: string }): void => health.soft(part, code);
  const shared = sharedServices(workspace.value, settings, soft);
  const proxied = team
    ? teamServices(workspace.value, settings, { ...team.value, key: team.value.database.key }, soft)
    : shared;
  const upstreams = upstreamsOf(settings);
  const proxy = createProxy({
    settings,
    upstreams,
    pools: new UpstreamPools({ timeoutMs: settings.upstreamTimeoutMs }),
    key: team?.value.database.key ?? secretKey(paths.home),
    isToken: (value) => isRunToken(value) || isTeamToken(value) || sameToken(value, token.value),
    repositoryKey,
    catalog,
    clock: systemClock,
    newId,
    open: (tenant) => proxied.open(tenant),
  });
  proxy.on((event) => health.see(event));
  proxy.on((event) => logRequest(workspace.value, event));
  if (team) proxy.on((event) => team.value.door.metrics.see(event));
  let bugs = 0;
  const report = (error: unknown): string => {
    if (isFileDamage(error)) {
      suspect(paths.store); // the next to open it makes it anew
      health.soft("store", "store_corrupt");
      return "store.db is damaged and is being rebuilt.";
    }
    health.soft("gateway", "bug");
    return ++bugs > MOST_REPORTS ? "The same error again; see the earlier reports." : reportCrash(error);
  };
  const noticed = () => health.now(shared.finding());
  const watch = new HomeWatch(workspace.value, shared.open);
  const observer = new GatewayObserver(shared.open, (code) => health.soft("observations", code));
  // Whoever is told that it listens finds the store open and searches at full speed.
  if (settings.memory) await warm(shared);
  // Only now: V8 refuses code that was kept under other flags, that of Node's own modules in new threads too.
  proxy.on(boundHeap());
  const openRecall = openRecallOperations(workspace.value, shared.open);
  const openGraph = openGraphOperations(workspace.value, shared.open);
  const started = await startGateway({
    host: values["gateway.host"],
    port: values["gateway.port"],
    home: paths.home,
    webFolder: join(packageRoot(), "dist", "web"),
    version: VERSION,
    token: token.value,
    runOf: runsOf(paths.home),
    allowedHosts: values["gateway.allowedHosts"],
    requireToken: settings.requireToken,
    drainMs: team ? TEAM_DRAIN_MS : values["gateway.drainSeconds"] * 1000,
    // The store closes with the proxy: what waits for it is written before.
    proxy: { ...proxy, close: () => observer.close().then(() => proxy.close()) },
    async operations(member) {
      const isMember = team && member && member !== LOCAL_MEMBER;
      const services = await proxied.open(isMember ? member.tenant : undefined);
      return services.ok
        ? ok(operationsOn(services.value, settings, isMember ? personOf(member) : undefined))
        : services;
    },
    recall: async (member) =>
      team && member && member !== LOCAL_MEMBER ? team.value.door.recall(member) : openRecall(),
    memory: team
      ? (member) => team.value.door.memory(member ?? LOCAL_MEMBER)
      : openMemoryService(workspace.value, shared.open),
    ...optional("memoryKey", values["memory.service.hmacKey"]),
    ...optional("team", team?.value.door),
    mcp: { tools: servedTools(workspace.value, shared.open) },
    ...(values["memory.enabled"] && values["graph.enabled"]
      ? {
          graph: team ? team.value.door.graph : openServedGraph(workspace.value, shared.open),
          graphViews: async (member) =>
            team && member && member !== LOCAL_MEMBER ? team.value.door.graphViews(member) : openGraph(),
        }
      : {}),
    dashboard: openDashboard(workspace.value, settings, shared.open, {
      noticed,
      facts: () => shownFacts(gatewayFacts(workspace.value, settings, upstreams, "")),
      onLook: (session) => watch.look(session),
    }),
    observe: (event) => observer.see(event),
    watch: (publish) => watch.start(publish, report),
    loopbackOpen: !team && values["gateway.auth"] === "loopback-open",
    health: noticed,
    report: (_part, error) => void report(error),
  });
  if (!started.ok) {
    await proxy.close();
    await shared.close();
    await team?.value.close();
    return started.error.code === "port_taken" ? fail(await portTaken(workspace.value, token.value)) : started;
  }
  const { address, link, close } = started.value;
  return ok({
    address,
    token: token.value,
    facts: {
      ...gatewayFacts(workspace.value, settings, upstreams, address),
      ...optional("team", team?.value.database.pool.place),
    },
    warnings: [...loaded.warnings, ...warnings, ...openDoor(values["gateway.auth"], values["gateway.host"])],
    link,
    on: (listener) => proxy.on(listener),
    report,
    async close() {
      await close();
      await shared.close();
      await team?.value.close();
    },
  });
}

const shownFacts = ({ on, off, upstreams }: GatewayFacts) => ({
  on: [...on],
  off: [...off],
  upstreams: upstreams.map((upstream) => ({ ...upstream })),
});

/** A store that cannot be opened now is tried again by the first request. */
async function warm(shared: SharedServices): Promise<void> {
  const services = await shared.open();
  if (services.ok) await services.value.recall.warm(WARM_MS);
}

/** F82: who has the port, and what to do about it. */
async function portTaken({ settings: { values }, paths }: Workspace, token: string): Promise<Failure> {
  const port = values["gateway.port"];
  const address = addressOf(values["gateway.host"], port);
  const taken = { code: "port_taken", data: "Nothing was started.", exit: 1 } as const;
  const who = await whoListens(address, token);
  if (who === "ours") {
    const running = (await findGateway(paths.home)) ?? { address, token };
    const pid = await pidOf(running);
    const what = `Port ${port} is taken by the Everlong gateway of this home${pid === undefined ? "" : ` (pid ${pid})`}.`;
    return { ...taken, what, next: "Use that one: `everlong serve --link` prints a link to it. Or give --port." };
  }
  const holder = who === "everlong" ? "an Everlong gateway of another home" : "another program, which is not Everlong";
  return { ...taken, what: `Port ${port} is taken by ${holder}.`, next: "Choose another with --port." };
}

/** What it means that callers without the token are let in. */
function openDoor(auth: string, host: string): string[] {
  if (auth !== "loopback-open") return [];
  return [
    isLoopbackHost(host)
      ? "gateway.auth is loopback-open: any program on this machine can use /graphiti and /mcp without the token."
      : `gateway.auth loopback-open has no effect on ${host}: /graphiti and /mcp need the token.`,
  ];
}
