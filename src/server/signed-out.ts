// Which dashboard cookies were ended by hand, beside the token: a gateway that starts again must not take them back.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../base/failure.ts";
import { isRecord, parseJson } from "../base/json.ts";
import type { Report } from "./contract.ts";
import type { SignedOut } from "./sign-in.ts";

const SIGNED_OUT_FILE = "gateway.signed-out.json";

/** A file that cannot be written is told of; the cookies are over for this process all the same. */
export function signedOutIn(home: string, now: () => number, report: Report): SignedOut {
  const path = join(home, SIGNED_OUT_FILE);
  const ids = readIds(path);
  return {
    has: (id) => (ids.get(id) ?? 0) > now(),
    add(id, until) {
      ids.set(id, until);
      for (const [old, end] of ids) if (end <= now()) ids.delete(old);
      try {
        mkdirSync(home, { recursive: true, mode: 0o700 });
        writeFileSync(`${path}.new`, JSON.stringify(Object.fromEntries(ids)), { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch (error) {
        report("sign-out", error);
      }
    },
  };
}

function readIds(path: string): Map<string, number> {
  try {
    const read = parseJson(readFileSync(path, "utf8"));
    const entries = read.ok && isRecord(read.value) ? Object.entries(read.value) : [];
    return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return new Map();
    throw error;
  }
}
