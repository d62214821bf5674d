// Test run settings: units beside their source, behaviour suites under test/.
import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [
    {
      // The same rule as the bundle's text loader: a .md import is the file's text.
      name: "text",
      enforce: "pre",
      load(id: string) {
        return id.endsWith(".md") ? `export default ${JSON.stringify(readFileSync(id, "utf8"))}` : undefined;
      },
    },
  ],
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A loaded machine may starve a terminal or a child for seconds; a test that really fails, fails twice.
    retry: process.env["CI"] ? 1 : 0,
    pool: "forks",
    maxWorkers: 3,
    reporters: ["default"],
  },
});
