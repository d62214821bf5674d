// The servers of the suites as programs, bundled once a run: from source each start would load the whole SDK file by file.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const sources = import.meta.dirname;
const root = join(sources, "..", "..");
const folder = join(root, "node_modules", ".everlong-test");

/** How a user's configuration starts the server of that name. */
export const program = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [join(folder, `${name}.mjs`), ...args],
});

const changedAt = (path: string): number => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Vitest calls it before the first suite. Each is made aside and moved in: two runs may do this at once. */
export default async function bundlePrograms(): Promise<void> {
  const files = readdirSync(sources).map((name) => join(sources, name));
  const newest = Math.max(
    ...[...files, join(root, "package-lock.json"), join(root, "dist", "main.cjs")].map(changedAt),
  );
  const aside = join(folder, `new-${process.pid}`);
  for (const name of ["plain", "task", "hang", "flood", "liar", "served"]) {
    const file = join(folder, `${name}.mjs`);
    if (changedAt(file) > newest) continue;
    const { bundleFile } = await import("../../scripts/bundle.mjs");
    mkdirSync(aside, { recursive: true });
    await bundleFile(join(sources, `${name}.ts`), join(aside, `${name}.mjs`));
    renameSync(join(aside, `${name}.mjs`), file);
  }
  rmSync(aside, { recursive: true, force: true });
}
