// What `everlong with` stands on: the user's environment, the place of launch files, and a gateway for one run.
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { repositoryKey } from "../../host/git.ts";
import { type AgentRun, OWNER } from "../../proxy/identify/run.ts";
import { proxySettings } from "../../proxy/settings.ts";
import { upstreamsOf } from "../../proxy/upstream/choose.ts";
import { findGateway, type LocalGateway, pidOf } from "../../server/find.ts";
import { addressOf } from "../../server/listen.ts";
import type { UpstreamRow } from "../../server/manage/contract.ts";
import { remoteOperations } from "../../server/manage/remote.ts";
import { readToken } from "../../server/token.ts";
import { openWorkspace } from "../workspace.ts";
import { openGateway, type RunningGateway } from "./gateway.ts";
import { freshLink } from "./link.ts";
import { isOfRun, launchFolder } from "./with-launch.ts";

type WithWorkspace = {
  env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  userHome: string;
  /** What the gateway is told of this run. */
  run: AgentRun;
  /** EVERLONG_HOME. */
  home: string;
  /** The folder of this run's launch files; not yet made. */
  launch: string;
  /** Others can write to a folder above it. */
  exposed: boolean;
  read(path: string): string | undefined;
  /** The gateway as it would be if none were found and this run started one. */
  foreseen: GatewayView;
};

export type GatewayView = { address: string; token: string; upstreams: readonly UpstreamRow[] };

export type GatewayForRun = GatewayView & {
  /** Started for this run, and ends with it. */
  own: RunningGateway | undefined;
  warnings: readonly string[];
  link(): Promise<string | undefined>;
  /** An own one ends after its last stream; another's goes on. */
  release(): Promise<void>;
};

/** `suits`: whether a gateway leads where the agent must go; `upstreams`: what one must have that is started for it. */
export type WithRequest = { suits(gateway: GatewayView): boolean; upstreams: Readonly<Record<string, string>> };

const MAX_BYTES = 4 * 1024 * 1024;

export async function withWorkspace(): Promise<Result<WithWorkspace, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { env, userHome, paths, context, settings } = workspace.value;
  const { values } = settings;
  const token = readToken(paths.home);
  if (!token.ok) return token;
  const upstreams = [...upstreamsOf(proxySettings(values)).values()].map(({ name, url, apiKey }) => ({
    name,
    url: url?.href ?? "",
    key: apiKey !== undefined,
  }));
  const launch = launchFolder(paths.home, process.pid);
  return ok({
    env,
    userHome,
    run: { user: OWNER, folder: context.cwd, repository: repositoryKey(context.cwd) },
    home: paths.home,
    launch,
    exposed: isExposed(paths.home),
    read: readSmall,
    foreseen: { address: addressOf(LOOPBACK, values["gateway.port"]), token: token.value ?? NOT_YET, upstreams },
  });
}

/** One that runs and suits; a gateway of another `with` does not: it ends with its own agent. */
export async function findSuiting(home: string, { suits }: WithRequest): Promise<GatewayView | undefined> {
  const gateway = await findGateway(home);
  if (!gateway) return undefined;
  const pid = await pidOf(gateway);
  if (pid === undefined || isOfRun(home, pid)) return undefined;
  const view = await viewOf(gateway);
  return view && suits(view) ? view : undefined;
}

export async function gatewayForRun(home: string, wanted: WithRequest): Promise<Result<GatewayForRun, Failure>> {
  const gateway = await findSuiting(home, wanted);
  if (gateway) {
    const link = async (): Promise<string | undefined> => {
      const fresh = await freshLink();
      return fresh.ok ? fresh.value : undefined;
    };
    return ok({ ...gateway, own: undefined, warnings: [], link, release: async () => undefined });
  }
  const started = await startForRun(wanted.upstreams);
  if (!started.ok) return started;
  const own = started.value;
  const { address, token, warnings } = own;
  const view = (await viewOf(own)) ?? { address, token, upstreams: [] };
  return ok({ ...view, own, warnings, link: async () => own.link(), release: () => own.close() });
}

const LOOPBACK = "127.0.0.1";
/** Stands for the token until the first start makes it. */
const NOT_YET = "…";

/** On the usual port; on a free one where that is taken. For this machine alone, whatever the settings allow to `serve`. */
async function startForRun(upstreams: WithRequest["upstreams"]): Promise<Result<RunningGateway, Failure>> {
  const lines = Object.entries(upstreams).map(([name, url]) => `${name}: ${url}`);
  const flags = {
    "gateway.host": LOOPBACK,
    ...(lines.length === 0 ? {} : { "proxy.upstreams.*.url": lines.join("\n") }),
  };
  const usual = await openGateway(flags);
  if (usual.ok || usual.error.code !== "port_taken") return usual;
  return openGateway({ ...flags, "gateway.port": "0" });
}

async function viewOf({ address, token }: LocalGateway): Promise<GatewayView | undefined> {
  const upstreams = await remoteOperations({ address, token }).upstreams();
  return upstreams.ok ? { address, token, upstreams: upstreams.value } : undefined;
}

function readSmall(path: string): string | undefined {
  try {
    return statSync(path).size > MAX_BYTES ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined; // there is none that we may read: the agent will say so if it needs it
  }
}

function isExposed(folder: string): boolean {
  const open = ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o022) !== 0;
  return open || (dirname(folder) !== folder && isExposed(dirname(folder)));
}
