// What PostgreSQL or the way to it could not do, as a value; never with the password.
import { errorCode, errorText } from "../../base/failure.ts";
import { type Fault, type FaultCode, faultAt } from "../fault.ts";

/** By SQLSTATE, whole or its class. */
const BY_STATE: Readonly<Record<string, FaultCode>> = {
  "08": "store_unavailable",
  "25006": "store_unavailable", // read-only: a standby, or one that is being handed over
  "28": "store_denied",
  "3D000": "store_denied",
  "42501": "store_denied",
  "53100": "store_full",
  "53200": "store_unavailable",
  "53300": "store_busy",
  "55P03": "store_busy",
  "57014": "store_busy", // its time was over
  "57P": "store_unavailable",
  "58": "store_io",
  XX001: "store_corrupt",
  XX002: "store_corrupt",
};

/** What the driver says itself when a connection cannot be had, or is gone. */
const LOST =
  /^(Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed|The server does not support SSL|read E|write E|connect E|getaddrinfo )/;

function serverCode(error: unknown): FaultCode | undefined {
  const code = errorCode(error) ?? "";
  const match = BY_STATE[code] ?? BY_STATE[code.slice(0, 3)] ?? BY_STATE[code.slice(0, 2)];
  if (match) return match;
  if (/^E[A-Z]{3,}/.test(code) || LOST.test(errorText(error))) return "store_unavailable";
  return undefined;
}

/** Another transaction was in the way: the same work may succeed now. */
export const isClash = (error: unknown): boolean => CLASHES.has(errorCode(error) ?? "");
const CLASHES: ReadonlySet<string> = new Set(["40001", "40P01", "23505"]);

/** A newer node has changed a table that the connection has a plan for: another connection makes a new one. */
export const isStalePlan = (error: unknown): boolean =>
  errorCode(error) === "0A000" && errorText(error).startsWith("cached plan must not change result type");

/** The connection is gone, or of no more use. */
export const isLost = (error: unknown): boolean => serverCode(error) === "store_unavailable";

/** The fault behind a thrown error; what is not the server's doing is a bug and is thrown on. */
export function serverFault(error: unknown, where: string): Fault {
  const code = serverCode(error);
  if (code === undefined) throw error;
  return faultAt(code, where, errorText(error).replace(/[.\s]+$/, ""));
}
