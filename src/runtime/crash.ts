// An error of our own: a redacted report beside the logs, and a sentence for the user.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode, errorText } from "../base/failure.ts";
import { VERSION } from "../base/version.ts";
import { secretFilter } from "../memory/secret/filter.ts";
import { processEnvironment } from "../settings/environment.ts";
import { resolveHome } from "../settings/home.ts";

const remembered: string[] = [];

/** Values from elsewhere than the environment, such as settings.json or a flag, that no report may show. */
export function rememberSecrets(values: readonly string[]): void {
  remembered.push(...values);
}

/** Every variable whose name speaks of a secret, so that no value of one reaches the report. */
function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value && /key|token|secret|password|headers/i.test(name) ? [value] : [],
  );
}

/** Never throws: it runs when everything else has. Gives the sentence to print. */
export function reportCrash(error: unknown): string {
  const redact = secretFilter("crash", [...secretsOf(processEnvironment()), ...remembered]);
  const what =
    errorCode(error) === "MODULE_NOT_FOUND"
      ? "A part of everlong is missing on disk: it was updated while running, or the installation is incomplete. Start it again"
      : `Something in everlong itself went wrong: ${redact(errorText(error))}`;
  const sentence = (place: string): string =>
    `${what}. Everything so far is saved in the session's log; --resume continues from there. Please report it${place}. [internal_error]`;
  try {
    const home = resolveHome(processEnvironment());
    if (!home.ok) return sentence("");
    const folder = join(home.value, "logs");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `crash-${new Date().toISOString().replace(/[:.]/g, "-")}.txt`);
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    writeFileSync(path, redact(`everlong ${VERSION}, node ${process.version}, ${process.platform}\n${stack}\n`), {
      mode: 0o600,
    });
    return sentence(` with ${path}`);
  } catch {
    return sentence(""); // not even the report can be written: the sentence is all there is
  }
}

/** A place where a test ends the process as a crash would: just before what it names is written. */
export function crashPoint(crashAt: string | undefined, name: string): void {
  if (crashAt === name) process.kill(process.pid, "SIGKILL");
}
