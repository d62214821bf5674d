// Builds the dashboard into dist/web, only when something that it is made from has changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const mtime = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);
const newest = (folder) =>
  Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => mtime(join(entry.parentPath, entry.name))),
  );

/** What the page is made from: its own files, the shapes it shares, and the versions of its packages. */
export const isWebOld = (root) =>
  Math.max(
    newest(join(root, "web")),
    newest(join(root, "src", "schema")),
    newest(join(root, "src", "base")),
    mtime(join(root, "package.json")),
  ) > mtime(join(root, "dist", "web", "index.html"));

/** Gives the modules that the page contains, for their licences. */
export async function buildWeb(root) {
  const modules = join(root, "dist", ".cache", "web-modules.json");
  if (!isWebOld(root) && existsSync(modules)) return JSON.parse(readFileSync(modules, "utf8"));
  const { build } = await import("vite");
  const { default: config } = await import("../web/vite.config.mjs");
  // Written aside and moved in: whoever serves the page meanwhile meets whole files only.
  const aside = join(root, "dist", ".cache", `web-${process.pid}`);
  const before = join(root, "dist", ".cache", `web-old-${process.pid}`);
  const place = join(root, "dist", "web");
  const { output } = await build({ ...config, build: { ...config.build, outDir: aside } });
  if (existsSync(place)) renameSync(place, before);
  renameSync(aside, place);
  rmSync(before, { recursive: true, force: true });
  const ids = output.flatMap(({ moduleIds = [] }) => moduleIds);
  mkdirSync(join(root, "dist", ".cache"), { recursive: true });
  writeFileSync(modules, JSON.stringify(ids));
  return ids;
}
