// Runs the benchmarks: each prints ratios against a baseline measured beside it, in the same run.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleFile } from "../scripts/bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const names = readdirSync(here).filter(
  (f) => f.endsWith(".bench.ts") && (wanted.length === 0 || wanted.some((w) => f.startsWith(w))),
);
const out = mkdtempSync(join(here, "..", "node_modules", ".bench-"));
try {
  for (const name of names) {
    const outfile = join(out, name.replace(/\.ts$/, ".mjs"));
    await bundleFile(join(here, name), outfile);
    console.log(`\n# ${name.replace(".bench.ts", "")}`);
    await (await import(pathToFileURL(outfile).href)).bench();
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
