// Whether this folder may talk to its Graphiti server: settings, trust and consent, read anew for each connection.
import type { Result } from "../../base/result.ts";
import { type GraphitiEndpoint, graphitiEndpoint } from "../../memory/graphiti/endpoint.ts";
import { readHealth, restMs } from "../../memory/graphiti/health.ts";
import { type ConsentAnswer, type GraphitiState, graphitiState, mayConnect } from "../../memory/graphiti/state.ts";
import { readGraphitiConsent } from "../../permission/consent.ts";
import { trustState } from "../../permission/trust.ts";
import type { Database } from "../../store/sqlite.ts";
import type { Workspace } from "../workspace.ts";

export const endpointOf = ({ settings: { values } }: Workspace): Result<GraphitiEndpoint | undefined, string> =>
  graphitiEndpoint(values["memory.graphiti.endpoint"]);

/** The server's address; undefined when none is set, it cannot be one, or the graph is the built-in one. */
export function serverOf(workspace: Workspace): string | undefined {
  const endpoint = endpointOf(workspace);
  return endpoint.ok && endpoint.value?.type === "server" ? endpoint.value.url : undefined;
}

export type SentKind = "user_messages" | "assistant_messages" | "promotions" | "context_messages" | "git_metadata";

/** What goes to the server with these settings. */
export const sendsOf = ({ settings: { values } }: Workspace): SentKind[] => [
  "user_messages",
  "assistant_messages",
  "promotions",
  ...(values["memory.graphiti.includeSystemMessages"] ? ["context_messages" as const] : []),
  ...(values["memory.graphiti.includeGitMetadata"] ? ["git_metadata" as const] : []),
];

async function consentOf(workspace: Workspace, endpoint: string): Promise<ConsentAnswer> {
  const { paths, root } = workspace;
  const record = await readGraphitiConsent(paths.home, root, endpoint);
  if (!record) return "none";
  if (!("sends" in record)) return "declined";
  const { sends } = record;
  return Array.isArray(sends) && sendsOf(workspace).every((kind) => sends.includes(kind)) ? "granted" : "none";
}

/** Trust for one run lasts as long as the run; any other can be taken back in the middle of it. */
async function isTrusted({ trust, paths, userHome, root, context }: Workspace): Promise<boolean> {
  if (!trust.trusted || trust.by === undefined) return trust.trusted;
  return (await trustState({ everlongHome: paths.home, userHome }, root, context.cwd)).trusted;
}

/** Without a store the server is taken to be well. */
export async function graphitiStateOf(workspace: Workspace, db?: Database): Promise<GraphitiState> {
  const { values } = workspace.settings;
  const endpoint = endpointOf(workspace);
  const server = serverOf(workspace);
  const enabled = values["memory.enabled"] && values["memory.graphiti.enabled"];
  const health = db && server !== undefined ? readHealth(db, server) : { retryAt: 0, stalledAt: 0 };
  const now = Date.now();
  return graphitiState({
    enabled,
    endpoint,
    isTrusted: enabled && (await isTrusted(workspace)),
    consent: enabled && server !== undefined ? await consentOf(workspace, server) : "none",
    health: { retryAt: now + restMs(health, now), isStalled: health.stalledAt > 0 },
    now,
  });
}

/** For exactly this address: a setting that changed since means no. */
export const mayReach =
  (workspace: Workspace, endpoint: string): (() => Promise<boolean>) =>
  async () =>
    serverOf(workspace) === endpoint && mayConnect(await graphitiStateOf(workspace));
