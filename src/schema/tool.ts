// Tool results: what the model gets, what a person sees, and the closed set of failure codes.
import * as z from "zod";

export const resultType = z.enum(["success", "failure", "denied", "interrupted", "timeout"]);
export type ResultType = z.infer<typeof resultType>;

const toolErrorCode = z.enum([
  "invalid_inputs",
  "not_found",
  "denied",
  "failed",
  "timeout",
  "interrupted",
  "too_large",
  "too_many_calls",
]);
export type ToolErrorCode = z.infer<typeof toolErrorCode>;

export const fileChange = z.looseObject({
  path: z.string(),
  operation: z.enum(["create", "edit", "view"]),
  added: z.number().optional(),
  removed: z.number().optional(),
  /** The old bytes, by their hash, in the session's `snapshots/`; absent when the file was new or they are not kept. */
  snapshot: z.string().optional(),
  /** Hash of what an edit found: another one than was written last means that somebody else wrote between. */
  before: z.string().optional(),
  /** Hash of what was written: a file that has another one was changed by somebody else since. */
  after: z.string().optional(),
});
export type FileChange = z.infer<typeof fileChange>;

/** A tool the model may call, as providers want it. */
export type ToolDefinition = { name: string; description: string; parameters: Record<string, unknown> };
