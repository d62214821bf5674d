// npm start, npm test, npm run soak and npm run bench on a bare clone: install, build, then run on the repository's own Node.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isWebOld } from "./build-web.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const at = (...parts) => join(root, ...parts);
const [what, ...args] = process.argv.slice(2);

const mtime = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);
const newest = (dir) =>
  Math.max(
    0,
    ...readdirSync(dir, { withFileTypes: true, recursive: true }).map((e) =>
      e.isFile() ? mtime(join(e.parentPath ?? e.path, e.name)) : 0,
    ),
  );

function must(command, commandArgs, options = {}) {
  const done = spawnSync(command, commandArgs, { cwd: root, stdio: ["ignore", 2, 2], ...options });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

if (mtime(at("package-lock.json")) > mtime(at("node_modules", ".package-lock.json"))) {
  console.error("everlong: installing what it needs (once)…");
  // Not `npm ci`: it demands lock entries for every platform of optional packages, which a registry may not serve.
  must("npm", ["install", "--no-audit", "--no-fund"]);
}
const node = at("node_modules", "node", "bin", "node");
if (Math.max(newest(at("src")), mtime(at("package.json"))) > mtime(at("dist", "main.cjs")) || isWebOld(root))
  must(node, [at("scripts", "build.mjs")]);

const commands = {
  start: [at("bin", "everlong.js")],
  test: [at("node_modules", "vitest", "vitest.mjs"), "run"],
  soak: [at("node_modules", "vitest", "vitest.mjs"), "run"],
  bench: [at("bench", "run.mjs")],
};
const script = commands[what];
if (!script) {
  console.error(`scripts/run.mjs knows ${Object.keys(commands).join(", ")}, not ${what}`);
  process.exit(2);
}
// The storms and the fuzzing with their full counts; named files instead of these when there are arguments.
if (what === "soak") {
  process.env.EVERLONG_SOAK = "1";
  if (args.length === 0)
    args.push(
      "test/fault",
      "test/proxy/invariants.test.ts",
      "test/context/refused.test.ts",
      "test/graphiti/serve.test.ts",
      "test/team/storm.test.ts",
      "test/team/proxied-storm.test.ts",
      "test/team/move.test.ts",
      "test/team/history.test.ts",
      "src/memory/graph/ingest.test.ts",
      "src/memory/secret/bars.test.ts",
      "src/session/replay.test.ts",
      "src/permission/shell",
    );
}
const done = spawnSync(node, [...script, ...args], {
  cwd: what === "start" ? process.env.INIT_CWD || root : root,
  stdio: "inherit",
});
process.exit(done.status ?? 1);
