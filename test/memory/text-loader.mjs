// For processes that tests start on the sources: a .md import is the file's text, as in the bundle.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".md")) return next(url, context);
    const source = `export default ${JSON.stringify(readFileSync(new URL(url), "utf8"))}`;
    return { format: "module", source, shortCircuit: true };
  },
});
