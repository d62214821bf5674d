// Ids: random, made by the writer before the first attempt, so that a retry can be recognised.
import { randomBytes, randomUUID } from "node:crypto";

export type MakeId = () => string;

export const newId: MakeId = () => randomUUID();

/** A short id for things that live inside one session (calls, shells, requests). */
export function shortId(prefix: string): string {
  return `${prefix}_${randomBytes(9).toString("base64url").replace(/[-_]/g, "x")}`;
}
