// Consent: which addresses off this machine texts of this folder may be sent to; listed, given and taken back by a person.

import { isLoopback } from "../base/address.ts";
import { fail, ok } from "../base/result.ts";
import { loadServers } from "../mcp/config/load.ts";
import { grantConsent, hasConsent, listConsents, originOf, revokeConsent } from "../permission/consent.ts";
import type { ConsentAccess, ConsentFolder } from "./client/decision.ts";
import type { Attempt } from "./client/open.ts";
import { changeInHome } from "./home-file.ts";
import { mcpSources } from "./mcp/sources.ts";
import { type Ground, standOnGround } from "./start.ts";
import { refuseInToolShell } from "./tool-shell.ts";

/** Settings that hold such an address. */
const ENDPOINTS = ["recall.semantic.baseUrl", "recall.openai.baseUrl", "agent.catalogUrl"] as const;

export const consentHere: ConsentAccess = {
  async list() {
    const ground = await standOnGround();
    if (!ground.ok) return ground;
    const consents = await listConsents(ground.value.paths.home);
    if (!consents.ok) return consents;
    const missing = await missingConsents(ground.value);
    return ok({ consents: consents.value, missing, folder: folderOf(ground.value) });
  },
  grant: (address) =>
    change<{ origin: string; isThisMachine: boolean; folder: ConsentFolder }>(address, async (ground, origin) => {
      const { paths, root } = ground;
      const folder = folderOf(ground);
      if (isLoopback(origin)) return ok({ origin, isThisMachine: true, folder });
      const done = await grantConsent(paths.home, root, origin, new Date(), changeInHome(paths.home));
      return done.ok ? ok({ origin, isThisMachine: false, folder }) : done;
    }),
  revoke: (address) =>
    change(address, async (ground, origin) => {
      const { paths, root } = ground;
      const wasGiven = await hasConsent(paths.home, root, origin);
      const done = await revokeConsent(paths.home, root, origin, changeInHome(paths.home));
      return done.ok ? ok({ origin, wasGiven, folder: folderOf(ground) }) : done;
    }),
};

const folderOf = ({ root, trust }: Ground): ConsentFolder => ({ root, isTrusted: trust.trusted });

async function change<T>(address: string, work: (ground: Ground, origin: string) => Attempt<T>): Attempt<T> {
  const ground = await standOnGround();
  if (!ground.ok) return ground;
  const refused = refuseInToolShell(ground.value.env, "Consent is");
  if (refused) return fail(refused);
  const origin = originOf(address);
  return origin.ok ? work(ground.value, origin.value) : origin;
}

async function missingConsents(ground: Ground): Promise<{ setting: string; origin: string }[]> {
  const { settings, paths, root } = ground;
  const missing: { setting: string; origin: string }[] = [];
  for (const setting of ENDPOINTS) {
    const address = settings.values[setting];
    if (address === undefined || isLoopback(address)) continue;
    const origin = originOf(address);
    if (!origin.ok || (await hasConsent(paths.home, root, origin.value))) continue;
    missing.push({ setting, origin: origin.value });
  }
  return [...missing, ...(await waitingServers(ground))];
}

/** MCP servers off this machine that the project names. */
async function waitingServers(ground: Ground): Promise<{ setting: string; origin: string }[]> {
  const { env, paths, root, trust } = ground;
  const { servers } = await loadServers(await mcpSources(ground, trust), {
    variables: env,
    consented: (origin) => hasConsent(paths.home, root, origin),
  });
  return servers.flatMap((plan) =>
    plan.type === "untrusted" && plan.needs === "consent"
      ? [{ setting: `MCP server ${plan.name}`, origin: plan.endpoint }]
      : [],
  );
}
