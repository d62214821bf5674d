// Text of others inside a block of ours: it can neither close nor open a tag that we use, nor hide anything.
import { escapeTag, stripAnsi } from "../../base/text.ts";

/** Ours, the seed's, and those that clients give authority to. */
const RESERVED = [
  "everlong_state",
  "everlong_recall",
  "proxypilot_state",
  "memory",
  "pinned",
  "anchor",
  "todo",
  "spec",
  "system",
  "developer",
  "system[-_]reminder",
  "system[-_]notification",
  "system[-_]message",
  "environment_context",
  "user_instructions",
];
const RESERVED_TAG = `(?:${RESERVED.join("|")})`;

/** Controls, bidirectional marks, zero-width and tag characters, fillers, selectors: what a reader does not see. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb]/gu;

export const quoted = (text: string): string =>
  escapeTag(stripAnsi(text.toWellFormed()).replace(HIDDEN, ""), RESERVED_TAG);
