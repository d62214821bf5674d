// What the build, the tests, the benchmarks and their child processes share: how texts are modules, and a bundle of one file.
import { readFileSync } from "node:fs";
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
}
