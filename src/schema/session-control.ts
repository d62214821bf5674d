// What another process may ask of an open session, and what it is told: stop, a message, compaction, and the same for one task.
import * as z from "zod";

const MOST_TEXT = 100_000;
const text = z.string().trim().min(1).max(MOST_TEXT);
const task = z.string().min(1).max(200);

/** The body of `POST /api/sessions/{id}/control`. */
export const sessionControl = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("message"), text }),
  /** The turn that runs; work in the background goes on. */
  z.strictObject({ action: z.literal("stop") }),
  z.strictObject({ action: z.literal("compact"), focus: z.string().max(MOST_TEXT).exactOptional() }),
  /** The compaction that runs. */
  z.strictObject({ action: z.literal("cancel") }),
  /** The newest compaction is taken back. */
  z.strictObject({ action: z.literal("undo") }),
  z.strictObject({ action: z.literal("message-task"), task, text }),
  z.strictObject({ action: z.literal("stop-task"), task }),
]);
export type SessionControl = z.infer<typeof sessionControl>;

/** As it lies in the session's folder until the session takes it. */
export const controlFile = z.object({ from: z.string().max(100), control: sessionControl });

/** `isOver` false: the session took it and still works on it. `returned`: waiting messages that nobody will send now. */
export const controlOutcome = z.object({
  text: z.string(),
  isOver: z.boolean(),
  returned: z.array(z.string()).exactOptional(),
});
export type ControlOutcome = z.infer<typeof controlOutcome>;

/** As it lies in the session's folder until the one who asked has read it. */
export const controlAnswer = z.union([
  z.object({ ok: z.literal(true), value: controlOutcome }),
  z.object({
    ok: z.literal(false),
    error: z.object({
      code: z.string(),
      what: z.string(),
      data: z.string().exactOptional(),
      next: z.string().exactOptional(),
    }),
  }),
]);
