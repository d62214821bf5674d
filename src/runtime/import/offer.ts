// The one line that a first start says of the histories on this machine: their folders are there, nothing in them was read.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { historyClients } from "../../memory/import/clients.ts";
import type { Workspace } from "../workspace.ts";

/** Undefined: there are none, or it was said before. */
export function importOffer({
  paths,
  env,
  userHome,
}: Pick<Workspace, "paths" | "env" | "userHome">): string | undefined {
  const mark = join(paths.home, "import-offered");
  if (existsSync(mark)) return undefined;
  const titles = historyClients.filter((one) => one.places(env, userHome).some((place) => existsSync(place)));
  if (titles.length === 0) return undefined;
  try {
    writeFileSync(mark, "", { flag: "wx", mode: 0o600 });
  } catch {
    return undefined; // another start was first, or the disk takes nothing and the next start says it
  }
  const names = new Intl.ListFormat("en").format(titles.map(({ title }) => title));
  return `Found history of ${names}. Bring it in with: everlong import`;
}
