// The report of our own errors: no secret in it, wherever the secret came from.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { rememberSecrets, reportCrash } from "./crash.ts";

it("SEC28 a key from settings.json or a flag is masked as one from the environment is", () => {
  const home = mkdtempSync(join(tmpdir(), "everlong-crash-"));
  const before = { ...process.env };
  onTestFinished(() => {
    process.env = before;
    rmSync(home, { recursive: true });
  });
  process.env = { EVERLONG_HOME: home, EVERLONG_API_KEY: "plain words of env" };
  rememberSecrets(["plain words of settings"]);
  const said = reportCrash(new Error("sent: plain words of env, plain words of settings"));
  const report = readdirSync(join(home, "logs")).map((name) => readFileSync(join(home, "logs", name), "utf8"));
  expect(report).toHaveLength(1);
  for (const text of [said, ...report]) expect(text).toMatch(/sent: \[redacted:[^\]]+\], \[redacted:[^\]]+\]/);
});
