// Consent: which addresses off this machine texts of this folder may be sent to; listed, given and taken back by a person.

import { isLoopback } from "../base/address.ts";
import type { Failure } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import { loadServers } from "../mcp/config/load.ts";
import { graphitiEndpoint } from "../memory/graphiti/endpoint.ts";
import {
  grantConsent,
  hasConsent,
  listConsents,
  listDeclined,
  originOf,
  saveGraphitiConsent,
} from "../permission/consent.ts";
import type { ResultPromise } from "./client/open.ts";
import { answerConsent, type ConsentEffect, consentQuestion, sendsText } from "./consent-question.ts";
import { takeBackConsent } from "./consent-revocation.ts";
import { graphitiStateOf, sendsOf, serverOf } from "./graph/graphiti-gate.ts";
import { changeInHome } from "./home-file.ts";
import { mcpSources } from "./mcp/sources.ts";
import { refuseInToolShell } from "./tool-shell.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

/** Settings that hold such an address. */
const ENDPOINTS = ["recall.semantic.baseUrl", "recall.openai.baseUrl", "agent.catalogUrl"] as const;

export type ConsentFolder = { root: string; isTrusted: boolean };
/** `sends`: what goes to a Graphiti server, in words. */
type ConsentGrant = { origin: string; isThisMachine: boolean; folder: ConsentFolder; sends?: string[] };

type ConsentRevocation = { origin: string; wasGiven: boolean; wasDeclined?: boolean; folder: ConsentFolder };

export const consentHere = {
  async list() {
    const workspace = await openWorkspace();
    if (!workspace.ok) return workspace;
    const consents = await listConsents(workspace.value.paths.home);
    if (!consents.ok) return consents;
    const declined = await listDeclined(workspace.value.paths.home);
    if (!declined.ok) return declined;
    const missing = await missingConsents(workspace.value);
    return ok({ consents: consents.value, declined: declined.value, missing, folder: folderOf(workspace.value) });
  },
  /** For a face to show; undefined when there is nothing to ask. */
  question: consentQuestion,
  /** What a person said to it. */
  answer: answerConsent,
  /** "Never", for the Graphiti server of the settings. */
  decline: (address: string) =>
    change<{ origin: string; effect: ConsentEffect; folder: ConsentFolder }>(address, async (workspace) => {
      const server = graphitiServer(workspace, address);
      if (server === undefined) return fail(notAsked(address));
      const question = { folder: workspace.root, endpoint: server, kinds: sendsOf(workspace) };
      const effect = await answerConsent(question, "never");
      return effect.ok ? ok({ origin: server, effect: effect.value, folder: folderOf(workspace) }) : effect;
    }),
  grant: (address: string) =>
    change<ConsentGrant>(address, async (workspace, origin) => {
      const { paths, root } = workspace;
      const folder = folderOf(workspace);
      const server = graphitiServer(workspace, address);
      if (server !== undefined) {
        const outcome = await grantGraphiti(workspace, server, new Date());
        const sends = sendsText(sendsOf(workspace));
        return outcome.ok ? ok({ origin: server, isThisMachine: false, folder, sends }) : outcome;
      }
      const isThisMachine = isLoopback(origin);
      const outcome = isThisMachine
        ? ok(undefined)
        : await grantConsent(paths.home, root, origin, new Date(), changeInHome(paths.home));
      return outcome.ok ? ok({ origin, isThisMachine, folder }) : outcome;
    }),
  revoke: (address: string) =>
    change<ConsentRevocation>(address, async (workspace, origin) => {
      const endpoint = graphitiEndpoint(address);
      const server = endpoint.ok && endpoint.value?.type === "server" ? endpoint.value.url : "";
      const revoked = await takeBackConsent(workspace.paths.home, workspace.root, { origin, server });
      return revoked.ok ? ok({ ...revoked.value, folder: folderOf(workspace) }) : revoked;
    }),
};

/** The address, when it is that of the Graphiti server in the settings. */
function graphitiServer(workspace: Workspace, address: string): string | undefined {
  const endpoint = graphitiEndpoint(address);
  const server = serverOf(workspace);
  return endpoint.ok && endpoint.value?.type === "server" && endpoint.value.url === server ? server : undefined;
}

const notAsked = (address: string): Failure => ({
  code: "no_endpoint",
  what: `${address} is not the Graphiti server of the settings, so there is nothing to decide.`,
  data: "Nothing was changed.",
  next: "everlong consent lists what was asked; everlong consent revoke URL takes a consent back.",
  exit: 1,
});

const grantGraphiti = (workspace: Workspace, endpoint: string, now: Date) => {
  const { paths, root } = workspace;
  const answer = {
    version: 1 as const,
    workspace: root,
    endpoint,
    sends: sendsOf(workspace),
    consentedAt: now.toISOString(),
  };
  return saveGraphitiConsent(paths.home, { root, endpoint, answer }, changeInHome(paths.home));
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
  const state = await graphitiStateOf(workspace);
  const server = serverOf(workspace);
  if (state === "no_consent" && server !== undefined)
    missing.push({ setting: "memory.graphiti.endpoint", origin: server });
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
