// F86: the first load of the page is small; charts and the graph come when they are first shown.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const dist = join(import.meta.dirname, "..", "..", "dist", "web");
const size = (name: string): number => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length;

it("F86 the first load is at most 150 kB gzip, and neither charts nor the graph are in it", () => {
  const html = readFileSync(join(dist, "index.html"), "utf8");
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|https?:\/\//);
  const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name = ""]) => name);
  // What the entry imports at once comes with it, and so does the overview, where everybody arrives.
  const files = new Set([
    ...first,
    ...readdirSync(join(dist, "assets"))
      .filter((name) => /^overview-/.test(name))
      .map((name) => `assets/${name}`),
  ]);
  for (const name of files)
    if (name.endsWith(".js"))
      for (const [, to = ""] of readFileSync(join(dist, name), "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g))
        files.add(`assets/${to}`);
  const total = ["index.html", ...files].reduce((sum, name) => sum + size(name), 0);
  console.log(`first load: ${Math.ceil(total / 1024)} kB gzip in ${files.size + 1} files`);
  expect(total).toBeLessThanOrEqual(150 * 1024);
  const text = [...files].map((name) => readFileSync(join(dist, name), "utf8")).join("");
  expect(text).not.toMatch(/cytoscape_stylesheet|uPlot/);
});
