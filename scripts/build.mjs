// Bundles src/main.ts into dist/: one entry with lazy parts, so that a start loads only what it needs.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { buildWeb } from "./build-web.mjs";
import { copyLists, lists, texts } from "./bundle.mjs";
import { keepCode } from "./keep-code.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const modules = (names) => names.map((name) => join(root, "src", `${name}.ts`));

// What every run of the program needs, and what its help shares with a turn: --help does not load the turn's part.
const OF_EVERY_RUN = modules([
  "cli/main",
  "base/optional",
  "settings/write",
  "runtime/recall/original",
  "runtime/recall/match-text",
  "schema/own-tool",
  "command/call-subject",
  "command/format",
]);

// The doors of commands that look at this home and start nothing: they do not load the turn's part either.
const OF_A_HOME = modules([
  "runtime/workspace",
  "runtime/store",
  "runtime/settings-access",
  "runtime/memory/open-memory",
  "runtime/memory/access",
  "runtime/board/access",
  "runtime/pin/access",
  "memory/record/embedded/strategy",
]);

// The lazy doors that every turn goes through. They and what they import are one part:
// each file costs a start a millisecond, and a turn would need more than a hundred of them.
const OF_EVERY_TURN = modules([
  "cli/prompt-mode",
  "runtime/session/open-session",
  "runtime/memory/session",
  "runtime/sidekick/inbox",
  "model/call",
  "agent/sidekick/builtin",
  "agent/sidekick/schedule",
  "memory/board/store",
  "memory/board/tool",
  "runtime/recall/recalled",
  "session/index/write-index",
]);

// The programs of threads are bundles of their own: as parts of the program each would load most of it, for a few functions.
const THREADS = modules(["runtime/gateway/storage-thread", "memory/recall/thread/worker", "store/checkpoint-thread"]);

/** The program needs no more of a thread than its address. */
const threadAddresses = {
  name: "thread-addresses",
  load: {
    filter: { id: /\bthread\b.*\.ts$/ },
    handler: (id) =>
      THREADS.includes(id)
        ? `export const threadUrl = new URL("thread-${basename(id, ".ts")}.js", import.meta.url).href;`
        : undefined,
  },
};

/** The AI SDK's helpers use the web's Headers in passing, and node loads all of its fetch for it. */
const plainHeaders = {
  name: "plain-headers",
  transform: {
    filter: { id: /@ai-sdk\/provider-utils\/dist\/index\.m?js$/ },
    handler: (code) =>
      `import { PlainHeaders as Headers } from ${JSON.stringify(join(root, "src", "model", "plain-headers.ts"))};\n${code}`,
  },
};

/** The driver of PostgreSQL can use a compiled library in place of itself; it is never asked to. */
const withoutNative = {
  name: "without-native",
  resolveId: { filter: { id: /^pg-native$/ }, handler: () => "\0pg-native" },
  load: { filter: { id: /^\0pg-native$/ }, handler: () => ({ code: "export default undefined;", moduleType: "js" }) },
};

const options = {
  cwd: root,
  platform: "node",
  plugins: [texts, plainHeaders, withoutNative],
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
};
// Written aside and moved in, the entry last: whoever runs the program meanwhile, or builds too, meets whole files only.
const aside = join(root, "dist", ".cache", `build-${process.pid}`);
async function bundleTo(names, input, more = {}) {
  const bundle = await rolldown({ ...options, ...input });
  const { output } = await bundle.write({
    dir: aside,
    minify: "dce-only",
    comments: false,
    charset: "ascii",
    ...names,
    ...more,
  });
  await bundle.close();
  return output;
}
const output = [
  ...(await bundleTo(
    { entryFileNames: "[name].cjs", chunkFileNames: "part/[name]-[hash].cjs" },
    { input: "src/main.ts", plugins: [threadAddresses, ...options.plugins] },
    {
      // Without a flag of Node, kept code can be given to V8 with scripts only, not with modules.
      format: "cjs",
      strict: true,
      dynamicImportInCjs: false,
      codeSplitting: {
        groups: [
          { name: "run", test: (id) => OF_EVERY_RUN.includes(id), priority: 2 },
          { name: "home", test: (id) => OF_A_HOME.includes(id), priority: 1 },
          { name: "turn", test: (id) => OF_EVERY_TURN.includes(id) },
        ],
      },
    },
  )),
  ...(await bundleTo(
    { entryFileNames: "part/thread-[name].js", chunkFileNames: "part/thread-[name]-[hash].js" },
    { input: THREADS },
  )),
];
copyLists(join(aside, "part"));
mkdirSync(join(root, "dist", "part"), { recursive: true });
const files = [...output.map(({ fileName }) => fileName), ...lists.map((list) => `part/${basename(list)}`)];
for (const name of [...files.filter((file) => file !== "main.cjs"), "main.cjs"])
  renameSync(join(aside, name), join(root, "dist", name));
rmSync(aside, { recursive: true });
await keepCode(root);

// The licences of the packages whose code stands in dist/ ask for their texts beside it.
const folders = [...output.flatMap(({ moduleIds = [] }) => moduleIds), ...(await buildWeb(root))].flatMap(
  (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [],
);
const licences = [...new Set(folders)].sort().map((folder) => {
  const { name, version, license, homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...(texts.length > 0 ? texts : [homepage ?? ""])].join("\n\n");
});
writeFileSync(
  join(root, "dist", "THIRD-PARTY-LICENSES.txt"),
  `dist/ contains code of these packages:\n\n${licences.join(`\n\n${"-".repeat(80)}\n\n`)}\n`,
);

// What earlier builds have left goes only after this one has succeeded.
const kept = ["THIRD-PARTY-LICENSES.txt", "code", "help.txt", "web", ".cache", "part", ...files];
for (const folder of ["", "part"])
  for (const name of readdirSync(join(root, "dist", folder)))
    if (!kept.includes(join(folder, name))) rmSync(join(root, "dist", folder, name), { recursive: true, force: true });
