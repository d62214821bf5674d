// What the build, the tests, the benchmarks and their child processes share: how texts are modules, and a bundle of one file.
import { copyFileSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { parse } from "yaml";

/** Markdown as it stands; YAML as JSON, so that a start needs no YAML reader. */
export const texts = {
  name: "texts",
  enforce: "pre",
  load: {
    filter: { id: /\.(md|yaml)(\?raw)?$/ },
    handler(id) {
      const path = id.replace("?raw", "");
      const text = readFileSync(path, "utf8");
      const value = path.endsWith(".yaml") ? JSON.stringify(parse(text)) : text;
      return { code: `export default ${JSON.stringify(value)};`, moduleType: "js" };
    },
  },
};

/** Lists that the program reads beside the part that asks for them. */
export const lists = ["src/memory/recall/text/related-words.txt", "src/model/tokens/o200k.bin"];

export function copyLists(folder) {
  const root = join(dirname(fileURLToPath(import.meta.url)), "..");
  for (const list of lists) copyFileSync(join(root, list), join(folder, basename(list)));
}

/** Bundles one entry with all that it needs into one file that Node can run. */
export async function bundleFile(input, file) {
  const bundle = await rolldown({
    input,
    platform: "node",
    plugins: [texts],
    resolve: { mainFields: ["module", "main"] },
    transform: { define: { EVERLONG_VERSION: '"bundled"' } },
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({ file, codeSplitting: false });
  await bundle.close();
  copyLists(dirname(file));
}
