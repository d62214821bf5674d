// Bundles src/main.ts into dist/: one entry with lazy parts, so that a start loads only what it needs.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { texts } from "./bundle.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

// The lazy doors that every turn goes through. They and what they import are one part:
// each file costs a start a millisecond, and a turn would need more than a hundred of them.
const OF_EVERY_TURN = [
  "cli/prompt-mode",
  "runtime/session/open-session",
  "runtime/memory/session",
  "runtime/sidekick/inbox",
  "model/call",
  "agent/sidekick/builtin",
  "agent/sidekick/schedule",
  "memory/board/store",
  "memory/board/tool",
  "memory/record/embedded/strategy",
  "session/index/write-index",
].map((name) => join(root, "src", `${name}.ts`));

const bundle = await rolldown({
  cwd: root,
  input: "src/main.ts",
  platform: "node",
  plugins: [texts],
  external: ["@vscode/ripgrep", "@lydell/node-pty"],
  resolve: {
    // The UMD entries of some packages hide their own requires from the bundler.
    mainFields: ["module", "main"],
    // Its other entry is CommonJS and twice as large.
    alias: { yaml: join(root, "node_modules", "yaml", "browser", "index.js") },
  },
  transform: {
    target: "node22",
    define: { EVERLONG_VERSION: JSON.stringify(version), "process.env.NODE_ENV": '"production"' },
  },
  checks: { ineffectiveDynamicImport: false },
});
const { output } = await bundle.write({
  dir: "dist",
  entryFileNames: "[name].js",
  chunkFileNames: "part/[name]-[hash].js",
  minify: "dce-only",
  comments: false,
  codeSplitting: { groups: [{ name: "turn", test: (id) => OF_EVERY_TURN.includes(id) }] },
});
await bundle.close();

// Parts of earlier builds go only after this one has succeeded.
const made = new Set(output.map((file) => join(root, "dist", file.fileName)));
for (const name of readdirSync(join(root, "dist", "part"))) {
  const path = join(root, "dist", "part", name);
  if (!made.has(path)) rmSync(path);
}

// The licences of the packages whose code stands in dist/ ask for their texts beside it.
const folders = output
  .flatMap(({ moduleIds = [] }) => moduleIds)
  .flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
const licences = [...new Set(folders)].sort().map((folder) => {
  const { name, version, license, homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...(texts.length > 0 ? texts : [homepage ?? ""])].join("\n\n");
});
writeFileSync(
  join(root, "dist", "THIRD-PARTY-LICENSES.txt"),
  `dist/ contains code of these packages:\n\n${licences.join(`\n\n${"-".repeat(80)}\n\n`)}\n`,
);
