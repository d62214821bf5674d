// The program itself: the Node it runs on, its own files, and the programs it calls.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "../../../base/failure.ts";
import { isRecord, parseJson } from "../../../base/json.ts";
import { VERSION } from "../../../base/version.ts";
import { packageRoot } from "../../../host/package-root.ts";
import { ripgrepPath } from "../../../host/ripgrep.ts";
import { sqlite } from "../../../store/sqlite.ts";
import { allWell, type DoctorCheck, failure, warning } from "../check.ts";

/** As in the launcher: the first minor version of each line that runs the program. */
const NEEDED: Readonly<Record<number, number>> = { 22: 20, 24: 7 };
const LIMIT_MS = 5000;

/** What the program prints when it is asked for its version; undefined when it does not run. */
export function versionOf(command: string, args: readonly string[] = ["--version"]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: LIMIT_MS, killSignal: "SIGKILL" }, (failed, out) =>
      resolve(failed ? undefined : out.trim().split("\n")[0]),
    );
  });
}

const root = packageRoot();

export const nodeCheck: DoctorCheck = {
  name: "node",
  look() {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const runs = major > 24 || minor >= (NEEDED[major] ?? Number.POSITIVE_INFINITY);
    if (!runs) return failure(`${process.version}; 22.20, 24.7 or newer is needed`, "Install a newer Node.");
    // The launcher starts this one when the Node of the system is too old.
    const own = process.execPath.startsWith(join(root, "node_modules"));
    const db = new (sqlite().DatabaseSync)(":memory:");
    const version = String(db.prepare("SELECT sqlite_version() AS v").get()?.["v"]);
    const hasFts = db.prepare("SELECT 1 FROM pragma_compile_options WHERE compile_options = 'ENABLE_FTS5'").get();
    db.close();
    if (!hasFts) return failure(`${process.version} without full-text search`, "Install Node from nodejs.org.");
    return allWell(`${process.version}${own ? " (bundled)" : ""}, SQLite ${version}`);
  },
};

export const packageCheck: DoctorCheck = {
  name: "package",
  look() {
    const missing = ["package.json", "bin/everlong.js", "dist/main.cjs"].filter(
      (file) => !existsSync(join(root, file)),
    );
    if (missing.length > 0) return failure(`${missing.join(", ")} missing in ${root}`, "Install Everlong again.");
    const read = parseJson(readFileSync(join(root, "package.json"), "utf8"));
    const version = read.ok && isRecord(read.value) ? String(read.value["version"]) : "unreadable";
    if (VERSION !== version && VERSION !== "0.0.0")
      return warning(`${VERSION} runs, ${version} is installed`, "Install Everlong again.");
    return allWell(`everlong ${version} in ${root}`);
  },
};

export const gitCheck: DoctorCheck = {
  name: "git",
  async look() {
    const version = await versionOf("git");
    if (version === undefined) return warning("not found: repositories are identified by folder only", "Install git.");
    return allWell(version.replace(/^git version /, ""));
  },
};

export const ripgrepCheck: DoctorCheck = {
  name: "ripgrep",
  async look() {
    try {
      const version = await versionOf(ripgrepPath());
      return version === undefined
        ? failure(`${ripgrepPath()} does not run: the agent cannot search`, "Install Everlong again.")
        : allWell(version.replace(/^ripgrep /, ""));
    } catch (error) {
      return failure(`not installed: ${errorText(error)}`, "Install Everlong again on this machine.");
    }
  },
};
