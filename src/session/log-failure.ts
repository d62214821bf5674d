// What a person is told when a session's log cannot be opened or written.
import type { Failure } from "../base/failure.ts";
import type { Fault } from "../store/fault.ts";
import { LOG_VERSION } from "./read-session.ts";

export const pausedText = (fault: Fault): string =>
  `${fault.what} All events so far are saved. Work is paused; retrying every 2 s. ${fault.next ?? ""}`;

export function unwritableLog(fault: Fault, dir: string, sessionId: string, lastEventId: string | null): Failure {
  const isNew = lastEventId === null;
  const isFull = fault.code === "store_full";
  const resume = `everlong --resume ${sessionId}`;
  return {
    code: fault.code,
    what: isFull
      ? `Could not save the last event: no space left in ${dir}.`
      : `The session's log cannot be written: ${fault.what}`,
    data: isNew
      ? `Nothing from session ${sessionId} is saved.`
      : `Everything before it is safe: session ${sessionId} is saved up to event ${lastEventId}; what came after it is not.`,
    next: isFull
      ? `Free space and send again${isNew ? "." : `: ${resume}`}`
      : `${fault.next ?? ""} Then ${isNew ? "start again." : `resume with: ${resume}`}`,
    exit: 1,
  };
}

export function lostLog(fault: Fault, sessionId: string): Failure {
  return {
    code: fault.code,
    what: `The log of session ${sessionId} is gone: ${fault.what}`,
    data: "What was said and done after that is not saved.",
    next: `Start a new session. If you moved the folder, move it back and resume with: everlong --resume ${sessionId}`,
    exit: 1,
  };
}

export const unopenedLog = (fault: Fault, sessionId: string): Failure => ({
  ...fault,
  what: `Session ${sessionId} cannot be opened: ${fault.what}`,
});

export function sessionInUse(sessionId: string, pid: number | undefined): Failure {
  return {
    code: "session_in_use",
    what: `Session ${sessionId} is open in another process${pid === undefined ? "" : ` (pid ${pid})`}.`,
    data: "Nothing was changed.",
    next: `Close it there, or copy it: everlong sessions fork ${sessionId}`,
    exit: 1,
  };
}

export function sessionTooNew(sessionId: string, version: number): Failure {
  return {
    code: "session_too_new",
    what: `Session ${sessionId} was written by a newer everlong (log version ${version}; this one reads up to ${LOG_VERSION}).`,
    data: "It was opened for reading only and is unchanged.",
    next: "Update everlong, or read it with: everlong sessions export.",
    exit: 1,
  };
}
