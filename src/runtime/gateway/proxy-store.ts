// The proxy's store on this home's database.
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { optional } from "../../base/optional.ts";
import type { ProxySettings } from "../../proxy/settings.ts";
import { createProxyStore, type ProxyStore } from "../../proxy/store/handle.ts";
import type { Database } from "../../store/sqlite.ts";
import { secretKey, type Workspace } from "../workspace.ts";

export const proxyStoreOn = (
  { paths }: Workspace,
  { dir, tenancy }: ProxySettings,
  db: Database,
  onDamaged?: (message: string) => void,
): ProxyStore =>
  createProxyStore({
    db,
    dir,
    locks: join(paths.home, "locks"),
    quarantine: paths.quarantine,
    key: secretKey(paths.home),
    clock: systemClock,
    tenancy,
    ...optional("onDamaged", onDamaged),
  });
