// Bundles src/main.ts into dist/, one entry with lazy chunks, so that a start loads only what it needs.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { parse } from "yaml";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

// `import { z }` brings all of zod with its fifty languages; as a namespace only what is used stays.
const wholeNamespace = {
  name: "zod-namespace",
  setup(bundle) {
    bundle.onLoad({ filter: /(@ai-sdk|@modelcontextprotocol).*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(
        /import \{ z \} from ["']zod(?:\/v4)?["']/g,
        'import * as z from "zod/v4"',
      ),
      loader: "js",
    }));
  },
};

// Our agents are written in YAML and shipped as JSON, so that a start needs no YAML reader.
const yamlAsJson = {
  name: "yaml-as-json",
  setup(bundle) {
    bundle.onLoad({ filter: /\.(agent|sidekick)\.yaml$/ }, ({ path }) => ({
      contents: JSON.stringify(parse(readFileSync(path, "utf8"))),
      loader: "text",
    }));
  },
};

const { metafile } = await build({
  plugins: [wholeNamespace, yamlAsJson],
  metafile: true,
  absWorkingDir: root,
  entryPoints: ["src/main.ts"],
  outdir: "dist",
  entryNames: "[name]",
  chunkNames: "part/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  // The UMD entries of some packages hide their own requires from the bundler.
  mainFields: ["module", "main"],
  // Its CommonJS entry would have no named exports as a lazy chunk.
  alias: { yaml: join(root, "node_modules", "yaml", "browser", "index.js") },
  target: "node22",
  minifySyntax: true,
  sourcemap: false,
  legalComments: "none",
  loader: { ".md": "text" },
  external: ["@vscode/ripgrep", "@lydell/node-pty"],
  define: { EVERLONG_VERSION: JSON.stringify(version), "process.env.NODE_ENV": '"production"' },
  banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
  logLevel: "warning",
});

// Parts of earlier builds go only after this one has succeeded.
const made = new Set(Object.keys(metafile.outputs).map((path) => join(root, path)));
for (const name of readdirSync(join(root, "dist", "part"))) {
  const path = join(root, "dist", "part", name);
  if (!made.has(path)) rmSync(path);
}
