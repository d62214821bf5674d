// No test judges how long something took: a busy machine would decide. Times are measured in bench/, waits have injected clocks.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const files = ["src", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name)),
);

const MEASURED = /(?:performance|Date)\.now\(\)|process\.(?:hrtime|cpuUsage)\b/;
/** An upper bound in a statement that measures, or on a name that was measured. */
function bounded(text: string): string[] {
  const names = [...text.matchAll(/(?:const|let) (\w+) =[^;]*?(?:performance|Date)\.now\(\) -/g)].map(
    ([, name]) => name,
  );
  return text
    .split(";\n")
    .filter((statement) => /\.toBeLessThan(?:OrEqual)?\(/.test(statement))
    .filter(
      (statement) => MEASURED.test(statement) || names.some((name) => new RegExp(`\\b${name}\\b`).test(statement)),
    );
}

it("N52 no test bounds a measured time from above", () => {
  expect(files.length).toBeGreaterThan(300);
  const own = join("test", "measured-time.test.ts");
  const found = files
    .filter((file) => file !== own)
    .flatMap((file) =>
      bounded(readFileSync(join(root, file), "utf8")).map((statement) => `${file}: ${statement.trim()}`),
    );
  expect(found).toEqual([]);
});

it("T4 a planted one is seen", () => {
  expect(bounded("const at = performance.now();\nexpect(performance.now() - at).toBeLessThan(100);\n")).toHaveLength(1);
  expect(bounded("const took = Date.now() - at;\nexpect(took).toBeLessThanOrEqual(100);\n")).toHaveLength(1);
  expect(bounded("const at = performance.now();\nexpect(text.length).toBeLessThan(100);\n")).toEqual([]);
});
