// The opt-in suite with real clients: `npm run test:clients`. They are found in EVERLONG_CLIENTS_DIR.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ["test/clients/real/*.client.ts"],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 120_000 } },
    pool: "forks",
    maxWorkers: 1,
    reporters: ["verbose"],
  },
});
