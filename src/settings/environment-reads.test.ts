import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { expect, it } from "vitest";

const SRC = join(import.meta.dirname, "..");
const READ = /process\s*(\??\.\s*env\b|\[\s*["'`]env)|\benv\b[^;=]*}\s*(=\s*process\b|from\s*["'](node:)?process["'])/g;

/** How often a file may touch the environment: once to hand it to the loader, or to build a child's. */
function allowed(file: string): number {
  if (file.startsWith("settings/") || file === "host/environment.ts") return Number.POSITIVE_INFINITY;
  return file === "main.ts" ? 1 : 0;
}

function offences(files: Iterable<[name: string, text: string]>): string[] {
  return [...files].filter(([name, text]) => (text.match(READ)?.length ?? 0) > allowed(name)).map(([name]) => name);
}

function sources(): [string, string][] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.test|-fixture)\.ts$/.test(path))
    .map((path) => [relative(SRC, join(SRC, path)).split(sep).join("/"), readFileSync(join(SRC, path), "utf8")]);
}

it("A1.1 no environment read outside the settings table", () => {
  expect(sources().length).toBeGreaterThan(10);
  expect(offences(sources())).toEqual([]);
});

it("A1.1 the check can fail", () => {
  const planted: [string, string][] = [
    ["tool/a.ts", "const x = process.env.EVERLONG_X;"],
    ["tool/b.ts", 'const x = process["env"];'],
    ["tool/c.ts", "const { env } = process;"],
    ["tool/d.ts", 'import { cwd, env } from "node:process";'],
    ["tool/e.ts", "process?.env"],
    ["main.ts", "load(process.env); other(process.env)"],
  ];
  expect(offences(planted)).toEqual(planted.map(([name]) => name));
  expect(
    offences([
      ["main.ts", "load(process.env)"],
      ["host/environment.ts", "process.env"],
      ["tool/f.ts", "ctx.env; process.exit(1)"],
    ]),
  ).toEqual([]);
});
