// Terms as keys of an index: what is too long for one stands under its beginning and its hash.
import { hash } from "node:crypto";
import type { TermGroup } from "../term-step.ts";

const LONGEST = 200;

export const keyOf = (token: string): string =>
  token.length <= LONGEST ? token : `${token.slice(0, LONGEST / 2).toWellFormed()}${hash("sha1", token)}`;

/** The term under which every passage stands. */
export const EVERY_PASSAGE: TermGroup = { tokens: [""] };
