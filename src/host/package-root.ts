// Where this program's own package lies: the files beside its code are found from there.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const above = (folder: string): string =>
  existsSync(join(folder, "package.json")) || dirname(folder) === folder ? folder : above(dirname(folder));

export const packageRoot = (): string => above(dirname(fileURLToPath(import.meta.url)));
