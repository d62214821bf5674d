// Consent: which addresses off this machine texts of this folder may be sent to; listed, given and taken back by a person.
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { loadServers } from "../mcp/config/load.ts";
import { isLoopback } from "../memory/recall/embed/choose.ts";
import { grantConsent, hasConsent, listConsents, originOf, revokeConsent } from "../permission/consent.ts";
import { changeInHome } from "./home-file.ts";
import { mcpSources } from "./mcp/sources.ts";
import type { Printed } from "./session/stored-sessions.ts";
import { refuseInToolShell } from "./settings-command.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

/** Settings that hold such an address, and what goes there. */
const ENDPOINTS = ["recall.semantic.baseUrl", "recall.openai.baseUrl", "agent.catalogUrl"] as const;
const SENT =
  "the texts of conversations (prompts, answers, tool results; known secrets are filtered out) and what is searched for, to be made into vectors; where it is an MCP server of this project, what its tools are called with; where it is the catalogue of agents, only the name of this repository";

export async function consentList(options: { json?: boolean } = {}): Promise<Printed> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const given = await listConsents(workspace.value.paths.home);
  if (!given.ok) return given;
  const missing = await missingConsents(workspace.value);
  if (options.json) return ok({ json: { consents: given.value, missing } });
  const rows = given.value.map(({ origin, root, at }) => `${origin}  from ${root}  since ${at}`);
  const waits = missing.map(
    ({ setting, origin }) => `${setting} is ${origin}: nothing is sent there. everlong consent grant ${origin}`,
  );
  const trust = given.value.some(({ root }) => root === workspace.value.root) ? untrusted(workspace.value) : [];
  return ok([...(rows.length > 0 ? rows : ["No consent was given."]), ...waits, ...trust].join("\n"));
}

export async function consentGrant(address: string): Promise<Result<string, Failure>> {
  return change(address, async ({ paths, root, ...rest }, origin) => {
    if (isLoopback(origin)) return ok(`${origin} is this machine; it needs no consent.`);
    const done = await grantConsent(paths.home, root, origin, new Date(), changeInHome(paths.home));
    if (!done.ok) return done;
    const sent = `From ${root}, ${origin} may be sent ${SENT}.`;
    const back = `everlong consent revoke ${origin} takes it back.`;
    return ok([sent, ...untrusted({ root, ...rest }), back].join("\n"));
  });
}

export async function consentRevoke(address: string): Promise<Result<string, Failure>> {
  return change(address, async ({ paths, root }, origin) => {
    const had = await hasConsent(paths.home, root, origin);
    const done = await revokeConsent(paths.home, root, origin, changeInHome(paths.home));
    if (!done.ok) return done;
    if (!had) return ok(`There was no consent for ${origin} in ${root}.`);
    return ok(`Nothing more is sent from ${root} to ${origin}. What was sent before is not called back.`);
  });
}

async function change(
  address: string,
  work: (workspace: Workspace, origin: string) => Promise<Result<string, Failure>>,
): Promise<Result<string, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const refused = refuseInToolShell(workspace.value.env, "Consent is");
  if (refused) return fail(refused);
  const origin = originOf(address);
  return origin.ok ? work(workspace.value, origin.value) : origin;
}

const untrusted = ({ trust, root }: Pick<Workspace, "trust" | "root">): string[] =>
  trust.trusted ? [] : [`${root} is not trusted, so nothing is sent yet: everlong trust.`];

async function missingConsents(workspace: Workspace): Promise<{ setting: string; origin: string }[]> {
  const { settings, paths, root } = workspace;
  const missing: { setting: string; origin: string }[] = [];
  for (const setting of ENDPOINTS) {
    const address = settings.values[setting];
    if (address === undefined || isLoopback(address)) continue;
    const origin = originOf(address);
    if (!origin.ok || (await hasConsent(paths.home, root, origin.value))) continue;
    missing.push({ setting, origin: origin.value });
  }
  return [...missing, ...(await waitingServers(workspace))];
}

/** MCP servers off this machine that the project names. */
async function waitingServers(workspace: Workspace): Promise<{ setting: string; origin: string }[]> {
  const { env, paths, root, trust } = workspace;
  const { servers } = await loadServers(await mcpSources(workspace, trust), {
    variables: env,
    consented: (origin) => hasConsent(paths.home, root, origin),
  });
  return servers.flatMap((plan) =>
    plan.type === "untrusted" && plan.needs === "consent"
      ? [{ setting: `MCP server ${plan.name}`, origin: plan.endpoint }]
      : [],
  );
}
