// What marks an imported session: its id, and where each of its events came from.
import * as z from "zod";

/** `line`: of the file, or the id of a database's row. */
const importMark = z.looseObject({ file: z.string(), line: z.union([z.number(), z.string()]) });
export type ImportMark = z.infer<typeof importMark>;

/** Undefined for what was said here. */
export function importMarkOf(data: object): ImportMark | undefined {
  const mark = importMark.safeParse((data as { imported?: unknown }).imported);
  return mark.success ? mark.data : undefined;
}

/** `session.start` names it as its producer. */
export const IMPORT_PRODUCER = "import";

const IMPORTED = /^imp_([a-z]+)_[\w.-]{1,120}$/;

/** The client of an imported session, by the session's id; undefined for a session of our own. */
export const importedFrom = (sessionId: string): string | undefined => IMPORTED.exec(sessionId)?.[1];
