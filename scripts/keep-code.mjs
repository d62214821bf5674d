// Runs the built program once in each way that is started often, and keeps the code that V8 made of it, and the page of help.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

/** Ends what hangs: a build without kept code is a good one that starts more slowly. */
const LIMIT_MS = 60_000;

const ANSWER = [
  '{"choices":[{"index":0,"delta":{"role":"assistant","content":"hello"}}]}',
  '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  "[DONE]",
];

/** Commands whose families are used most. */
const COMMANDS = [
  ["memory", "add", "The build needs Node."],
  ["memory", "list"],
  ["recall", "hello"],
  ["sessions", "list"],
];

export async function keepCode(root) {
  const home = mkdtempSync(join(tmpdir(), "everlong-build-"));
  const aside = join(root, "dist", ".cache", `code-${process.pid}`);
  const place = join(root, "dist", "code");
  const page = join(root, "dist", "help.txt");
  const model = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(ANSWER.map((data) => `data: ${data}\n\n`).join(""));
    });
  }).listen(0, "127.0.0.1");
  try {
    await once(model, "listening");
    const run = warmRuns(root, home, aside, `http://127.0.0.1:${model.address().port}`);
    // The second finds the folders of the first, as most runs do.
    await run(["-p", "hello"]);
    await run(["-p", "hello"]);
    await run(["serve", "--port", "0", "--json"], (child) => child.stdout.once("data", () => child.kill("SIGTERM")));
    for (const command of COMMANDS) await run(command);
    const help = await run(["--help"]);
    writeFileSync(join(aside, "help.txt"), help);
    renameSync(join(aside, "help.txt"), page);
    moveIn(join(aside, "code"), place);
  } catch (error) {
    for (const kept of [place, page]) rmSync(kept, { recursive: true, force: true });
    console.error(
      `The program is built, but will start more slowly, because no code of it could be kept: ${error.message}`,
    );
  } finally {
    model.close();
    for (const folder of [home, aside]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Nothing of the builder's own settings, folders and keys is seen or touched. */
function warmRuns(root, home, aside, modelAddress) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    EVERLONG_HOME: join(home, "everlong"),
    EVERLONG_BASE_URL: modelAddress,
    EVERLONG_MODEL: "model",
    EVERLONG_API_KEY: "key",
  };
  // The build may run on a Node that is too old for the program.
  const own = join(root, "node_modules", "node", "bin", "node");
  const node = existsSync(own) ? own : process.execPath;
  return async (args, onStart) => {
    const child = spawn(node, [join(root, "scripts", "warm-run.cjs"), aside, ...args], {
      cwd: home,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
    });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].setEncoding("utf8").on("data", (text) => {
        said[name] += text;
      });
    onStart?.(child);
    const [code, signal] = await once(child, "close");
    if (code === 0) return said.stdout;
    const texts = `${said.stdout}${said.stderr}`.slice(-1000);
    throw new Error(`"everlong ${args.join(" ")}" ended with ${signal ?? code}: ${texts}`);
  };
}

/** Names of parts change with their texts: whoever runs the program meanwhile finds code that fits, or none. */
function moveIn(from, to) {
  const paths = readdirSync(from).flatMap((node) => readdirSync(join(from, node)).map((file) => join(node, file)));
  for (const path of paths) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    renameSync(join(from, path), join(to, path));
  }
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile() && !paths.includes(relative(to, path))) rmSync(path, { force: true });
  }
}
