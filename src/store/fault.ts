// What the disk or the database could not do, as a value with a closed set of codes.
import { errorCode, errorText, type Failure } from "../base/failure.ts";

export type FaultCode =
  | "store_full"
  | "store_denied"
  | "store_io"
  | "store_busy"
  | "store_corrupt"
  | "store_gone"
  | "store_too_new"
  /** The database cannot be reached: nothing was written. */
  | "store_unavailable"
  /** It went away while it was asked to commit: nobody can say yet whether it did. */
  | "store_unsettled"
  | "unsafe_path"
  | "not_found"
  | "too_large";
export type Fault = Failure & { code: FaultCode };

export function fault(code: FaultCode, what: string, next: string, data?: string): Fault {
  return { code, what, data: data ?? "What was saved before is unchanged.", next, exit: 1 };
}

const NEXT: Record<FaultCode, string> = {
  store_full: "Free some space on that file system, then try again.",
  store_denied: "Make the folder and the file writable.",
  store_io: "Check the disk, then try again.",
  store_busy: "Another process is using it; try again.",
  store_corrupt:
    "Run the command again: a damaged store.db is moved to quarantine/ and rebuilt from the logs and the journal.",
  store_gone: "Do not remove or move it while everlong runs.",
  store_too_new: "Use the newer program that wrote it.",
  store_unavailable: "It is tried again every few seconds; try again then.",
  store_unsettled: "Try again with the same key: it is stored once.",
  unsafe_path: "Replace the link, device or folder with a plain file.",
  not_found: "Check the path.",
  too_large: "Store the text in a file and point to it.",
};

const BY_ERRNO: Record<string, FaultCode> = {
  ENOSPC: "store_full",
  EDQUOT: "store_full",
  EFBIG: "store_full",
  EACCES: "store_denied",
  EPERM: "store_denied",
  EROFS: "store_denied",
  ELOOP: "unsafe_path",
  EISDIR: "unsafe_path",
  ENXIO: "unsafe_path",
  ENOENT: "not_found",
  ENOTDIR: "not_found",
};

/** SQLite's primary result codes that the machine or another process causes; the others are our bugs. */
const BY_SQLITE: Record<number, FaultCode> = {
  3: "store_denied",
  5: "store_busy",
  6: "store_busy",
  8: "store_denied",
  10: "store_io",
  11: "store_corrupt",
  13: "store_full",
  14: "store_io",
  15: "store_busy",
  26: "store_corrupt",
};

/** SQLite's word where the index of its log finds no room: in its text an I/O error. */
const NO_ROOM_FOR_LOG = 4874;
const isOutOfRoom = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === NO_ROOM_FOR_LOG;

export function codeOf(error: unknown): FaultCode | undefined {
  const code = errorCode(error);
  if (isOutOfRoom(error)) return "store_full";
  if (code === "ERR_SQLITE_ERROR") {
    const number = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
    return BY_SQLITE[number & 0xff];
  }
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return undefined;
  return BY_ERRNO[code] ?? "store_io";
}

const CONSTRAINT = 19;

/** SQLite's word for a row that the table's rules forbid. */
export const isConstraint = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === CONSTRAINT;

const BROKEN_INDEX = 267;

/** The file itself is damaged, not only the words of a full-text index in it. */
export const isFileDamage = (error: unknown): boolean =>
  codeOf(error) === "store_corrupt" &&
  !(error instanceof Error && "errcode" in error && error.errcode === BROKEN_INDEX);

/** The fault behind a thrown error; what is not the machine's doing is a bug and is thrown on. */
export function faultOf(error: unknown, path: string): Fault {
  const code = codeOf(error);
  if (code === undefined) throw error;
  return faultAt(code, path, isOutOfRoom(error) ? "the disk is full" : errorText(error));
}

export function faultAt(code: FaultCode, path: string, reason: string): Fault {
  return fault(code, `${path}: ${reason}.`, NEXT[code]);
}

/** The same may succeed in a moment. */
export const isPassing = ({ code }: Fault): boolean => PASSING.has(code);
const PASSING: ReadonlySet<FaultCode> = new Set(["store_busy", "store_unavailable", "store_unsettled"]);

/** False where nobody was asked to commit: nothing is stored then. */
export const mayBeWritten = ({ code }: Fault): boolean => code !== "store_busy" && code !== "store_unavailable";
