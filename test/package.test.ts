// N48: the npm package says what it needs, and what it links to is inside.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { scene } from "./agent/scene.ts";
import { text } from "./model-server/reply.ts";
import { newPlace, run, start } from "./tool/everlong.ts";
import { otherNodes } from "./tool/node.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  engines: { node: string };
  dependencies: Record<string, string>;
};

/** The package as npm would publish it, without what npm would build and run first. */
function packedFiles(): string[] {
  const out = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [pack] = JSON.parse(out) as { files: { path: string }[] }[];
  return pack?.files.map(({ path }) => path) ?? [];
}

/** The launcher as it is installed from npm: no Node of its own beside it. */
function installedLauncher(): string {
  const folder = mkdtempSync(join(tmpdir(), "everlong-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist", "main.cjs"), "throw new SyntaxError('this Node cannot read me');");
  for (const name of ["bin", "package.json"]) cpSync(join(root, name), join(folder, name), { recursive: true });
  return join(folder, "bin", "everlong.js");
}

it("N48 every file that README links to is in the package, and nothing that belongs to one machine", () => {
  const files = packedFiles();
  const links = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
    ([, to]) => to ?? "",
  );
  expect(links.length).toBeGreaterThan(5);
  const missing = links.filter(
    (link) => !files.some((path) => path === link || path.startsWith(`${link.replace(/\/$/, "")}/`)),
  );
  expect(missing).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(["README.md", "LICENSE", "bin/everlong.js", "dist/main.cjs"]));
  expect(files.filter((path) => /^(?:src|test|bench|scripts)\/|^dist\/\.cache/.test(path))).toEqual([]);
});

it("N48 it depends on just what the bundle leaves outside", () => {
  const parts = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.c?js$/.test(path),
  );
  const outside = new Set<string>();
  for (const path of parts) {
    const text = readFileSync(join(root, "dist", path), "utf8");
    const imports =
      /^(?:import|export)\b[^"'\n]*?from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)|(?<!`)\brequire\("([^"]+)"\)|\.href\)\.resolve\("([^"]+)"\)/gm;
    for (const [, ...names] of text.matchAll(imports)) {
      const name = names.find((match) => match !== undefined) ?? "";
      if (!name.startsWith(".") && !name.startsWith("node:") && !builtinModules.includes(name)) outside.add(name);
    }
  }
  expect([...outside]).toEqual(Object.keys(manifest.dependencies));
});

it("N48 the bundle carries the licence of every package whose code it holds", () => {
  const notice = readFileSync(join(root, "dist", "THIRD-PARTY-LICENSES.txt"), "utf8");
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<
    "dependencies" | "devDependencies",
    Record<string, string>
  >;
  for (const name of ["zod", "commander", "undici", "hono", "@ai-sdk/anthropic", "@modelcontextprotocol/sdk"])
    expect(notice).toContain(`${name} ${devDependencies[name]} (`);
  expect(notice.match(/Permission is hereby granted|Apache License/g)?.length).toBeGreaterThan(10);
  // What stays outside of the bundle brings its own.
  for (const name of Object.keys(dependencies)) expect(notice).not.toContain(name);
  expect(packedFiles()).toContain("dist/THIRD-PARTY-LICENSES.txt");
});

it("N48 engines is what the launcher asks for", () => {
  const lines = ["bin/everlong.js", "src/runtime/doctor/check/program.ts"].map(
    (path) => /NEEDED\b.*= \{ (.*) \};/.exec(readFileSync(join(root, path), "utf8"))?.[1],
  );
  expect(lines).toEqual(["22: 20, 24: 7", "22: 20, 24: 7"]);
  expect(manifest.engines.node).toBe("^22.20.0 || >=24.7.0");
});

const COMMANDS = [[], ["-p", "hello"], ["--help"], ["serve"], ["with", "claude"], ["doctor"], ["nosuch"]];

it.each(COMMANDS.map((args) => ({ args })))(
  "N48 FB20 on an older Node `everlong $args` is one line that says what to do",
  ({ args }) => {
    const launcher = installedLauncher();
    const older = join(dirname(launcher), "older.cjs");
    writeFileSync(
      older,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.6.9' } });",
    );
    const done = spawnSync(process.execPath, ["-r", older, launcher, ...args], { encoding: "utf8" });
    expect(done.stderr).toMatch(
      /^everlong needs Node 22\.20, 24\.7 or newer, and this is Node 24\.6\.9: install [^\n]+\n$/,
    );
    expect([done.status, done.stdout]).toEqual([1, ""]);
  },
);

it.each(otherNodes.filter(({ version }) => /^v(?:1\d|2[01])\./.test(version)))(
  "N48 the same on the machine's own Node $version",
  ({ path, version }) => {
    const done = spawnSync(path, [installedLauncher(), "-p", "hello"], { encoding: "utf8" });
    expect(done.stderr).toContain(`and this is Node ${version.slice(1)}`);
    expect(done.stderr.trimEnd().split("\n")).toHaveLength(1);
  },
);

it("F115 what every command loads leaves out the part that only a turn needs", () => {
  const parts = join(root, "dist", "part");
  const importsOf = (name: string): string[] =>
    [...readFileSync(join(parts, name), "utf8").matchAll(/^(?:\w+ [\w$]+ = )?require\("\.\/([\w.-]+\.cjs)"\)/gm)].map(
      ([, to = ""]) => to,
    );
  const loaded = new Set(readdirSync(parts).filter((name) => /^command-line-/.test(name)));
  expect(loaded.size).toBe(1);
  for (const name of loaded) for (const more of importsOf(name)) loaded.add(more);
  expect([...loaded].some((name) => /^run-/.test(name))).toBe(true);
  expect([...loaded].filter((name) => /^turn-/.test(name))).toEqual([]);
});

/** Tells of each part that the real launcher loads whether V8 took the code that was kept of it. */
const WATCH = `
  const vm = require("node:vm"), fs = require("node:fs"), path = require("node:path");
  vm.Script = class extends vm.Script {
    constructor(text, options) {
      super(text, options);
      const taken = { false: "taken", true: "refused" }[this.cachedDataRejected] ?? "none";
      if (path.basename(options.filename) !== "main.cjs")
        fs.appendFileSync(process.env.WATCHED, taken + " " + path.basename(options.filename) + "\\n");
    }
  };`;

it("F115 V8 takes the code that was kept of every part that help, a turn and a gateway's start load", async () => {
  const { place } = await scene([text("hello")]);
  const file = (name: string): string => join(place.folder, name);
  writeFileSync(file("watch.cjs"), WATCH);
  const loadedBy = async (args: string[], use: (program: ReturnType<typeof start>) => void = () => undefined) => {
    rmSync(file("watched"), { force: true });
    const env = { NODE_OPTIONS: `--require=${file("watch.cjs")}`, WATCHED: file("watched") };
    const program = start(place, args, { env });
    use(program);
    expect(await program.done).toMatchObject({ code: 0 });
    const lines = readFileSync(file("watched"), "utf8").trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("refused "))).toEqual([]);
    return lines;
  };
  const turn = expect.stringMatching(/^taken turn-/);
  const help = await loadedBy(["help"]);
  expect(help).toContainEqual(expect.stringMatching(/^taken run-/));
  expect(help).not.toContainEqual(turn);
  expect(await loadedBy(["-p", "hello"])).toContainEqual(turn);
  const served = await loadedBy(["serve", "--port", "0", "--json"], (program) =>
    program.stdout?.once("data", () => program.kill("SIGTERM")),
  );
  expect(served).toContainEqual(expect.stringMatching(/^taken gateway-/));
});

it("F115 dist/ holds nothing of an earlier build", () => {
  const dist = join(root, "dist");
  const made = ["THIRD-PARTY-LICENSES.txt", "code", "help.txt", "main.cjs", "part", "web"];
  expect(readdirSync(dist).filter((name) => name !== ".cache")).toEqual(made);
  const parts = readdirSync(join(dist, "part"));
  const [folder = ""] = readdirSync(join(dist, "code"));
  const codes = readdirSync(join(dist, "code", folder)).map((name) => name.replace(/\.bin$/, ".cjs"));
  expect(codes.filter((name) => !parts.includes(name))).toEqual([]);
});

it("F115 the front page of help that the build has kept is what the program says", async () => {
  const page = readFileSync(join(root, "dist", "help.txt"), "utf8");
  const place = newPlace();
  for (const args of [["--help"], ["-h"], ["help"]]) expect((await run(place, args)).stdout).toBe(page);
});

it("F115 the program runs the same without kept code, and with code that V8 refuses", () => {
  const copy = mkdtempSync(join(tmpdir(), "everlong-test-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  for (const name of ["bin", "package.json", "dist/main.cjs", "dist/part", "dist/code"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  const help = (): string =>
    execFileSync(process.execPath, [join(copy, "bin", "everlong.js"), "help"], { encoding: "utf8" });
  const expected = help();
  expect(expected).toContain("Usage");
  const [folder = ""] = readdirSync(join(copy, "dist", "code"));
  for (const name of readdirSync(join(copy, "dist", "code", folder)))
    writeFileSync(join(copy, "dist", "code", folder, name), "not code of any Node");
  expect(help()).toBe(expected);
  rmSync(join(copy, "dist", "code"), { recursive: true });
  expect(help()).toBe(expected);
});
