// What a list answers to an `after` that none of its pages gave.
import type { Failure } from "../../base/failure.ts";

export const invalidCursor: Failure = {
  code: "invalid_inputs",
  what: "after is not a cursor from a list.",
  next: "Use the next of an earlier page, or leave it out.",
  exit: 2,
};
