// The directory of a session belongs to whoever created its session.json: made whole or not at all, never through a link.
import { randomBytes } from "node:crypto";
import { linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../base/failure.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultAt, faultOf } from "../../store/fault.ts";
import type { Claim } from "./contract.ts";

const FILE = "session.json";

/**
 * True: the directory is this session's, now or since earlier. A hand-made one without session.json is free. At once: a
 * request waits for it, and trips through the thread pool would cost many times these few calls.
 */
export function claim(folder: string, mine: Claim): Result<boolean, Fault> {
  const path = join(folder, FILE);
  const temporary = join(folder, `.${FILE}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    makeFolder(folder);
    if (!isPlainFolder(folder)) return fail(faultAt("unsafe_path", folder, "it is not a plain folder"));
    writeFileSync(temporary, `${JSON.stringify({ version: 1, ...mine })}\n`, { flag: "wx", mode: 0o600 });
    try {
      linkSync(temporary, path);
      return ok(true);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
      const owner = ownerIn(path);
      if (owner) return ok(mine.key !== null && owner.key === mine.key && owner.identity === mine.identity);
      renameSync(temporary, path); // torn by a loss of power: it names nobody
      return ok(true);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch (error) {
    return fail(faultOf(error, folder));
  }
}

/** Only the first session of a home has to make what is above it, and looking for that takes longer than all the rest. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === "EEXIST") return;
    if (errorCode(error) !== "ENOENT") throw error;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
}

/** Whether the directory of a known session is still there. */
export function isThere(folder: string): Result<boolean, Fault> {
  try {
    return isPlainFolder(folder) ? ok(true) : fail(faultAt("unsafe_path", folder, "it is not a plain folder"));
  } catch (error) {
    return errorCode(error) === "ENOENT" ? ok(false) : fail(faultOf(error, folder));
  }
}

/** At once: for one look a trip through the thread pool costs many times the look. */
const isPlainFolder = (folder: string): boolean => lstatSync(folder).isDirectory();

function ownerIn(path: string): Pick<Claim, "key" | "identity"> | undefined {
  const parsed = parseJson(readFileSync(path, "utf8"));
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { key, identity } = parsed.value;
  if (typeof identity !== "string" || (key !== null && typeof key !== "string")) return undefined;
  return { key, identity };
}
