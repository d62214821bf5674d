// Files of home that several processes change: each change under the store's lock, readable by their owner only.
import { join } from "node:path";
import type { UpdateFile } from "../settings/write.ts";
import { updateFile } from "../store/update-file.ts";

export const changeInHome =
  (home: string): UpdateFile =>
  (path, change) =>
    updateFile(path, change, { private: true, locks: join(home, "locks") });
