// What a request says about what the gateway left out of it: how much, and under which refs it is kept.
import { NOTICE_TAG } from "../../base/tag.ts";

/** The place that the truncator's marker names beside size and ref. */
export const PLACE = "the Everlong gateway's store; `everlong recall` with that ref prints it";

/** The truncator's tag, so that it is no prompt on any wire. */
export function gapNotice(omitted: readonly { id: string }[], refOf: (id: string) => string | undefined): string {
  const first = firstRef(omitted, refOf);
  const last = firstRef(omitted.toReversed(), refOf);
  const range = first === undefined ? "" : `, ${first === last ? first : `${first} to ${last}`},`;
  return (
    `<${NOTICE_TAG}>${omitted.length} earlier messages${range} are left out here so that this request fits the ` +
    "context window. They are kept in full in the Everlong gateway's store; what is relevant of them is quoted in later messages." +
    `</${NOTICE_TAG}>`
  );
}

function firstRef(items: readonly { id: string }[], refOf: (id: string) => string | undefined): string | undefined {
  for (const { id } of items) {
    const ref = refOf(id);
    if (ref !== undefined) return ref;
  }
  return undefined;
}
