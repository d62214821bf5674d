// Consent: which addresses off this machine texts of this folder may be sent to; listed, given and taken back by a person.

import { isLoopback } from "../base/address.ts";
import { fail, ok } from "../base/result.ts";
import { loadServers } from "../mcp/config/load.ts";
import { grantConsent, hasConsent, listConsents, originOf, revokeConsent } from "../permission/consent.ts";
import type { ResultPromise } from "./client/open.ts";
import { changeInHome } from "./home-file.ts";
import { mcpSources } from "./mcp/sources.ts";
import { refuseInToolShell } from "./tool-shell.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

/** Settings that hold such an address. */
const ENDPOINTS = ["recall.semantic.baseUrl", "recall.openai.baseUrl", "agent.catalogUrl"] as const;

export type ConsentFolder = { root: string; isTrusted: boolean };

export const consentHere = {
  async list() {
    const workspace = await openWorkspace();
    if (!workspace.ok) return workspace;
    const consents = await listConsents(workspace.value.paths.home);
    if (!consents.ok) return consents;
    const missing = await missingConsents(workspace.value);
    return ok({ consents: consents.value, missing, folder: folderOf(workspace.value) });
  },
  grant: (address: string) =>
    change(address, async (workspace, origin) => {
      const { paths, root } = workspace;
      const folder = folderOf(workspace);
      const isThisMachine = isLoopback(origin);
      const outcome = isThisMachine
        ? ok(undefined)
        : await grantConsent(paths.home, root, origin, new Date(), changeInHome(paths.home));
      return outcome.ok ? ok({ origin, isThisMachine, folder }) : outcome;
    }),
  revoke: (address: string) =>
    change(address, async (workspace, origin) => {
      const { paths, root } = workspace;
      const wasGiven = await hasConsent(paths.home, root, origin);
      const outcome = await revokeConsent(paths.home, root, origin, changeInHome(paths.home));
      return outcome.ok ? ok({ origin, wasGiven, folder: folderOf(workspace) }) : outcome;
    }),
};

const folderOf = ({ root, trust }: Workspace): ConsentFolder => ({ root, isTrusted: trust.trusted });

async function change<T>(
  address: string,
  work: (workspace: Workspace, origin: string) => ResultPromise<T>,
): ResultPromise<T> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const refused = refuseInToolShell(workspace.value.env, "change consent");
  if (refused) return fail(refused);
  const origin = originOf(address);
  return origin.ok ? work(workspace.value, origin.value) : origin;
}

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
