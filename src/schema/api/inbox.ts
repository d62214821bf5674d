// `/api/memory/inbox` and `/api/memory/sidekicks`: what background agents sent, and which of them ran or did not.
import * as z from "zod";
import { listOf } from "./list.ts";

const inboxEntryShape = z.object({
  id: z.string(),
  recipientSessionId: z.string(),
  senderId: z.string(),
  senderName: z.string(),
  senderType: z.string(),
  sequence: z.number(),
  summary: z.string(),
  content: z.string(),
  /** The main agent has not read it; looking at it here changes nothing. */
  unread: z.boolean(),
  sentAt: z.string(),
  readAt: z.string().nullable(),
  notifiedAt: z.string().nullable(),
});
/** `GET /api/memory/inbox?session&limit&after`; without a session: of all, newest first. `DELETE …/inbox/{session}/{id}`. */
export const inboxList = listOf(inboxEntryShape);

const sidekickShape = z.object({
  name: z.string(),
  description: z.string(),
  triggers: z.array(z.object({ event: z.string(), limit: z.number().exactOptional() })),
  conditions: z.array(z.string()),
  /** The key of its own switch. */
  setting: z.string().nullable(),
  /** What settings say against its running. */
  whyNot: z.enum(["memory_off", "off", "setting"]).nullable(),
});
/** One run, or one that did not happen: then `state` is `skipped` and `reason` says why. */
const sidekickRun = z.object({
  name: z.string(),
  session: z.string(),
  at: z.string(),
  state: z.string(),
  reason: z.string().exactOptional(),
  tokens: z.number().exactOptional(),
  sends: z.number().exactOptional(),
  durationMs: z.number().exactOptional(),
});
export const sidekickList = z.object({
  switches: z.object({
    memory: z.boolean(),
    enabled: z.boolean(),
    off: z.array(z.string()),
    maxTokensPerTurn: z.number(),
    maxTokensPerSession: z.number(),
  }),
  items: z.array(sidekickShape),
  /** The latest 100, newest first. */
  runs: z.array(sidekickRun),
});
