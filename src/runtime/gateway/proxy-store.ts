// The proxy's store on this home's database.
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { optional } from "../../base/optional.ts";
import { type FolderPlace, folderFiles } from "../../proxy/files/folder.ts";
import type { ProxySettings } from "../../proxy/settings.ts";
import { createProxyStore, type ProxyStore } from "../../proxy/store/handle.ts";
import type { RowAccess } from "../../proxy/store/row-access.ts";
import { embeddedStore } from "../../store/embedded-store.ts";
import type { Database } from "../../store/sqlite.ts";
import { secretKey, type Workspace } from "../workspace.ts";

export function proxyStoreOn(
  workspace: Workspace,
  settings: ProxySettings,
  db: Database,
  onDamaged?: (message: string) => void,
): ProxyStore {
  const { folder, ...place } = proxyPlace(workspace, settings);
  return createProxyStore({ ...proxyOn(db, { ...folder, ...optional("onDamaged", onDamaged) }), ...place });
}

/** What answers it: a connection of this thread, and the folders of this machine. */
export const proxyOn = (db: Database, folder: FolderPlace) => ({
  ...{ rows: embeddedStore(db), isOpen: () => db.isOpen, clock: systemClock },
  files: (access: RowAccess) => folderFiles(folder, access),
  sharesTransactions: true,
});

/** Where its files are, and whose it is. */
export const proxyPlace = ({ paths }: Workspace, { dir, tenancy }: ProxySettings) => ({
  folder: { dir, locks: join(paths.home, "locks"), quarantine: paths.quarantine },
  key: secretKey(paths.home),
  tenancy,
});
