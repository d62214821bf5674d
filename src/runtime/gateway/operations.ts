// Management for the command line: through the gateway that runs, else on the store and the files themselves.

import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import type { ProxyServices } from "../../proxy/services.ts";
import { type ProxySettings, proxySettings } from "../../proxy/settings.ts";
import { findGateway } from "../../server/find.ts";
import type { ProxyOperations } from "../../server/manage/contract.ts";
import { localOperations } from "../../server/manage/local.ts";
import { remoteOperations } from "../../server/manage/remote.ts";
import { openWorkspace } from "../workspace.ts";
import { sharedServices } from "./shared-services.ts";

export type { ProxyOperations } from "../../server/manage/contract.ts";

export const operationsOn = (
  { store, recall, index, redactor }: ProxyServices,
  settings: ProxySettings,
  owner?: string,
): ProxyOperations =>
  localOperations({ store, recall, index, redactor, settings, clock: systemClock, ...optional("owner", owner) });

export async function withOperations<T>(
  work: (operations: ProxyOperations) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const gateway = await findGateway(workspace.value.paths.home);
  if (gateway) return work(remoteOperations(gateway));
  const settings = proxySettings(workspace.value.settings.values);
  const shared = sharedServices(workspace.value, settings, () => undefined);
  try {
    const services = await shared.open();
    return services.ok ? await work(operationsOn(services.value, settings)) : services;
  } finally {
    await shared.close();
  }
}
