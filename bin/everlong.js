#!/usr/bin/env node
// The command. Plain JavaScript that any Node can read: it finds a Node that is new enough and starts dist/main.cjs on it.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// A key given by --api-key must not stay readable in the list of processes.
process.title = "everlong";

// The first minor version of each line whose SQLite binds numbered parameters; of 23 there is none.
const NEEDED = { 22: 20, 24: 7 };
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const entry = join(root, "dist", "main.cjs");
const args = process.argv.slice(2);

if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  console.log(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
} else if (!existsSync(entry)) {
  stop(
    "everlong is not built yet: dist/main.cjs is missing.",
    "Nothing was changed.",
    `Run "npm install" in ${root}, or "npm start".`,
  );
} else if (newEnough()) {
  const page = join(root, "dist", "help.txt");
  // The front page is always the same: the build has kept it.
  if (args.length === 1 && (args[0] === "--help" || args[0] === "-h") && existsSync(page)) {
    process.stdout.write(readFileSync(page));
  } else {
    if (process.env.EVERLONG_PARENT_PIPE) await dieWithParent();
    await start();
  }
} else {
  reexecute();
}

function newEnough() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > 24 || minor >= NEEDED[major];
}

function start() {
  const require = module.createRequire(import.meta.url);
  const { codeFolder, load } = require("./load.cjs");
  const folder = codeFolder(dirname(entry));
  if (existsSync(folder)) return load(entry, folder).ended;
  module.enableCompileCache?.(join(root, "dist", ".cache"));
  return require(entry).ended;
}

// The child must not outlive this process, even when it is killed with SIGKILL: it holds the other end of fd 3.
function reexecute() {
  const own = join(root, "node_modules", "node", "bin", "node");
  if (!existsSync(own)) {
    stop(
      `everlong needs Node 22.20, 24.7 or newer, and this is Node ${process.versions.node}: install a newer one from https://nodejs.org and run the command again.`,
    );
    return;
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...args], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, EVERLONG_PARENT_PIPE: "3" },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // A terminal sends SIGINT to the whole group; a signal sent to this process alone is passed on.
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on("exit", (code, signal) => {
    if (signal) process.kill(process.pid, "SIGKILL");
    else process.exit(code ?? 1);
  });
}

async function dieWithParent() {
  delete process.env.EVERLONG_PARENT_PIPE;
  const { Socket } = await import("node:net");
  const die = () => process.kill(process.pid, "SIGKILL");
  new Socket({ fd: 3 }).on("close", die).on("error", die).resume().unref();
}

function stop(...lines) {
  console.error(lines.join("\n"));
  process.exitCode = 1;
}
