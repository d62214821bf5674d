// The environment and the folder of the test's own process, as the program would have them, until the test ends.
import { onTestFinished } from "vitest";

/** What the program reads; how many rounds a soak takes is not its business. */
const OURS = /^(EVERLONG_(?!SOAK|TEST_)|COPILOT)/;

/** Other suites run in the same process afterwards: what is set here goes back. */
export function setEnvironment(values: Record<string, string>, folder = process.cwd()): void {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  onTestFinished(() => {
    process.chdir(before.cwd);
    for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
    Object.assign(process.env, before.env);
  });
  for (const name of Object.keys(process.env)) if (OURS.test(name)) delete process.env[name];
  Object.assign(process.env, values);
  process.chdir(folder);
}
