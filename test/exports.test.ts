// What nobody imports is not exported: a reader of an export may rely on somebody using it.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const FOLDERS = ["src", "web", "test", "bench", "scripts"];

function sources(): Map<string, string> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:ts|tsx|mjs|cjs)$/.test(name))
      .map((name) => posix.join(folder, name)),
  );
  return new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

const EXPORT = /^export (?:async )?(?:const|let|function\*?|class|type|interface) (\w+)/gm;
const NAMED = /(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?(\*|\{[^}]*\})[^"'`;]*?from\s+"(\.[^"]+)"/g;
/** Of a module that is loaded by its address any name may be used, wherever what was loaded is handed to. */
const ADDRESSED = /(?:import\(|URL\(|doMock\()\s*["`](\.[^"`]+)["`]/g;

function unusedExports(files: ReadonlyMap<string, string>): string[] {
  const imported = new Set<string>();
  const loaded = new Set<string>();
  for (const [file, text] of files) {
    const at = (path: string): string => posix.normalize(posix.join(posix.dirname(file), path));
    for (const [, names = "", path = ""] of text.matchAll(NAMED))
      if (names === "*") loaded.add(at(path));
      else
        for (const name of names.slice(1, -1).split(","))
          imported.add(
            `${at(path)} ${
              name
                .trim()
                .replace(/^type /, "")
                .split(" as ")[0]
            }`,
          );
    for (const [, path = ""] of text.matchAll(ADDRESSED)) loaded.add(at(path));
  }
  const words = new Map<string, number>();
  for (const text of files.values())
    for (const word of new Set(text.match(/\w+/g))) words.set(word, (words.get(word) ?? 0) + 1);
  const isUsed = (file: string, name: string): boolean =>
    imported.has(`${file} ${name}`) || (loaded.has(file) && (words.get(name) ?? 0) > 1);
  return (
    [...files]
      // What main.ts exports is for bin/everlong.js.
      .filter(([file]) => /^(?:src|web)\/(?!main\.ts)/.test(file) && !/\.test\.tsx?$|fixture|conformance/.test(file))
      .flatMap(([file, text]) =>
        [...text.matchAll(EXPORT)].filter(([, name = ""]) => !isUsed(file, name)).map(([, name]) => `${file}: ${name}`),
      )
  );
}

it("exports what somebody imports, and nothing else", () => {
  const files = sources();
  expect(unusedExports(files)).toEqual([]);
  const planted = new Map(files)
    .set("src/base/planted.ts", "export const planted = 1;\nexport type Planted = 2;\nexport const taken = 3;")
    .set("src/base/taker.ts", 'import { taken } from "./planted.ts";');
  expect(unusedExports(planted)).toEqual(["src/base/planted.ts: planted", "src/base/planted.ts: Planted"]);
});
