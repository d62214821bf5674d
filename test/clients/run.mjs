// npm run test:clients: the suite with real clients, in a network of its own that has nothing but loopback.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const node = join(root, "node_modules", "node", "bin", "node");
const suite = [
  node,
  join(root, "node_modules", "vitest", "vitest.mjs"),
  "run",
  "--config",
  join(here, "vitest.config.ts"),
];
const cut = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
// A user needs a namespace of its own to make one for the network; where neither is allowed, the suite cannot run.
const under = [
  ["unshare", "-n"],
  ["unshare", "-r", "-n"],
].find(([program, ...args]) => spawnSync(program, [...args, ...cut, "true"]).status === 0);
if (!process.env.EVERLONG_CLIENTS_DIR) {
  console.log(
    "No real clients: set EVERLONG_CLIENTS_DIR to a folder with NAME/node_modules/.bin/NAME. Nothing was tested.",
  );
} else if (!under) {
  console.error("The network cannot be cut on this machine (unshare -n, ip): the suite was not run.");
  process.exitCode = 1;
} else {
  const [program, ...args] = [...under, ...cut, ...suite, ...process.argv.slice(2)];
  const done = spawnSync(program, args, { cwd: root, stdio: "inherit" });
  process.exitCode = done.status ?? 1;
}
