// Test run settings: units beside their source, behaviour suites under test/.
import { existsSync, statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { texts } from "./scripts/bundle.mjs";

/** Homes of tests live in memory where it has room for them: otherwise a suite waits for the disk a third of its time. */
const MEMORY = "/dev/shm";
const hasRoom = (): boolean => {
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > 8 * 2 ** 30;
};
const env = existsSync(MEMORY) && hasRoom() ? { TMPDIR: MEMORY } : {};
const programs = "test/mcp-server/program.ts";

/** They add to the process that they run in, or weigh it: each has a worker of its own. */
const alone = ["test/toy-wire/**/*.test.ts", "test/proxy/stopped-readers.test.ts"];

export default defineConfig({
  plugins: [texts],
  test: {
    projects: [
      { extends: true, test: { name: "unit", include: ["src/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          ...{ name: "behaviour", globalSetup: [programs], env },
          ...{ include: ["test/**/*.test.ts"], exclude: ["test/attack/**", "test/team/**", ...alone] },
        },
      },
      {
        extends: true,
        test: {
          name: "team",
          include: ["test/team/**/*.test.ts"],
          globalSetup: [programs, "test/team/server.ts"],
          env,
        },
      },
      { extends: true, test: { name: "alone", include: alone, isolate: true, env } },
      // The system's sandbox hides /dev, and with it what lies in memory.
      { extends: true, test: { name: "attack", include: ["test/attack/**/*.test.ts"], globalSetup: [programs] } },
    ],
    // Limits only end what hangs: no test measures the machine's speed (N52).
    testTimeout: process.env["EVERLONG_SOAK"] ? 7_200_000 : 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // A loaded machine may starve a terminal or a child for seconds; a test that really fails, fails twice.
    retry: process.env["CI"] ? 1 : 0,
    pool: "forks",
    // Suites share their workers: beginning a new one for each takes most of a second of processor time.
    isolate: false,
    // Two for each core: many suites wait for a child, a limit or a clock most of their time.
    maxWorkers: 4,
    reporters: ["default"],
  },
});
