// A copy of the built program with one part broken on purpose: a suite that is green on it would prove nothing.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const root = join(import.meta.dirname, "..", "..");

/** Replaces a text that must occur in the bundle; gives the path of the copy's command. Removed when the test ends. */
export function brokenCopy(find: string | RegExp, replace: string): string {
  const copy = mkdtempSync(join(tmpdir(), "everlong-broken-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }));
  for (const name of ["bin", "package.json"]) cpSync(join(root, name), join(copy, name), { recursive: true });
  cpSync(join(root, "dist"), join(copy, "dist"), {
    recursive: true,
    filter: (path) => !/dist\/(?:\.cache|code)\b/.test(path),
  });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  let changed = 0;
  for (const name of readdirSync(join(copy, "dist"), { recursive: true, encoding: "utf8" })) {
    if (!/\.c?js$/.test(name)) continue;
    const path = join(copy, "dist", name);
    const text = readFileSync(path, "utf8");
    const broken = text.replace(find, replace);
    if (broken === text) continue;
    writeFileSync(path, broken);
    changed++;
  }
  if (changed === 0)
    throw new Error(`No part of the built program holds ${String(find)}: choose another part to break.`);
  return join(copy, "bin", "everlong.js");
}
