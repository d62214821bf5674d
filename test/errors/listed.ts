// The codes that docs/errors.md lists.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const listedCodes = new Set(
  readFileSync(join(import.meta.dirname, "..", "..", "docs", "errors.md"), "utf8")
    .split("\n")
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([a-z_]+)`/g)].map(([, code = ""]) => code)),
);
