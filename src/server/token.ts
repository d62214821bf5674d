// The gateway token: made by the first `serve`, kept for its owner alone, compared in constant time, never logged.
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { errorCode, type Failure } from "../base/failure.ts";
import { optional } from "../base/optional.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { faultOf } from "../store/fault.ts";

const FORM = /^[A-Za-z0-9_-]{43}$/;

export const tokenPath = (home: string): string => join(home, "gateway.token");

/** Reads the token, or makes it: whole under a name of its own first, so that nobody ever reads half of one. */
export function ensureToken(home: string): Result<string, Failure> {
  const token = readToken(home);
  if (!token.ok || token.value !== undefined) return token as Result<string, Failure>;
  const draft = `${tokenPath(home)}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, randomBytes(32).toString("base64url"), { flag: "wx", mode: 0o600 });
    takeName(draft, tokenPath(home));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") return fail(faultOf(error, tokenPath(home)));
  } finally {
    rmSync(draft, { force: true });
  }
  const fresh = readToken(home);
  if (!fresh.ok) return fresh;
  return fresh.value === undefined ? fail(damaged(home, "vanished while it was made")) : ok(fresh.value);
}

/** Exclusive, because another process may have been first; a disk without hard links has only a rename. */
function takeName(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!LINKLESS.has(errorCode(error) ?? "")) throw error;
    renameSync(draft, path);
  }
}
const LINKLESS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Undefined: there is none yet. A file that others can read or write is refused: it is no secret any more. */
export function readToken(home: string): Result<string | undefined, Failure> {
  const path = tokenPath(home);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return errorCode(error) === "ENOENT" ? ok(undefined) : fail(faultOf(error, path));
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || (stat.mode & 0o077) !== 0) return fail(damaged(home, "can be read or changed by others"));
    const uid = process.getuid?.();
    if (uid !== undefined && stat.uid !== uid) return fail(damaged(home, "belongs to another user"));
    const text = readFileSync(file, "utf8").trim();
    return FORM.test(text) ? ok(text) : fail(damaged(home, "does not contain a token"));
  } finally {
    closeSync(file);
  }
}

const damaged = (home: string, reason: string): Failure => ({
  code: "token_unusable",
  what: `${tokenPath(home)} ${reason}.`,
  data: "Nothing was started.",
  next: "Delete the file; the next `everlong serve` makes a new token.",
  exit: 1,
});

const digest = (text: string): Buffer => hash("sha256", text, "buffer");

/** Digests are compared, so neither content nor length shows in the time. */
export const sameToken = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/** What a gateway answers to a challenge: who has the token knows that it talks to one that has it too. */
export const proofOf = (token: string, challenge: string): string =>
  createHmac("sha256", token).update(`everlong gateway ${challenge}`).digest("base64url");

const KEY_HEADERS = ["x-api-key", "x-goog-api-key", "api-key"] as const;

/** Every place where a caller may present the token; never the query. */
export function presented(headers: IncomingHttpHeaders): { own?: string; bearer?: string; keys: string[] } {
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const text = (name: string) => [headers[name]].flat().filter((value) => value !== undefined && value !== "");
  return {
    ...optional("own", text("x-everlong-token")[0]),
    ...optional("bearer", bearer),
    keys: KEY_HEADERS.flatMap(text).filter((value) => value !== undefined),
  };
}
