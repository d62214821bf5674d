// What recall answers over HTTP: the same questions as `everlong recall`, to everything this home remembers.
import * as z from "zod";
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { Original } from "../../memory/recall/list.ts";
import type { SearchPlan, Shown } from "../../memory/recall/result.ts";
import type { RecallStats } from "../../memory/recall/stats.ts";
import type { ErasureReport } from "../../runtime/client/recall.ts";
import type { InjectionPreview, InjectionQuestion } from "../../schema/api/recall.ts";
import type { Member } from "../team/member.ts";
import type { OperationOutcome } from "./contract.ts";

const text = z.string().max(10_000);
const words = z.union([text.transform((word) => [word]), z.array(text).max(20)]);

export const recallQuestion = z.strictObject({
  query: z.string().exactOptional(),
  scope: text.exactOptional(),
  session: text.exactOptional(),
  repo: text.exactOptional(),
  branch: text.exactOptional(),
  kind: words.exactOptional(),
  role: words.exactOptional(),
  since: text.exactOptional(),
  until: text.exactOptional(),
  before: text.exactOptional(),
  asOf: text.exactOptional(),
  order: text.exactOptional(),
  around: z.union([text, z.int().min(1).transform(String)]).exactOptional(),
  window: z.int().min(0).max(100).exactOptional(),
  limit: z.int().min(1).max(1000).exactOptional(),
  cursor: text.exactOptional(),
  full: z.boolean().exactOptional(),
  explain: z.boolean().exactOptional(),
  /** Signals that do not count: what was found is put in order anew without them. */
  without: z.array(text).max(20).exactOptional(),
});
export const forgetRequest = z
  .strictObject({
    ids: z.array(text).min(1).max(1000).exactOptional(),
    session: text.exactOptional(),
    olderThan: text.exactOptional(),
  })
  .refine((choice) => Object.keys(choice).length > 0, "must name ids, a session or olderThan");
type ForgetRequest = z.infer<typeof forgetRequest>;
type RecallQuestion = z.infer<typeof recallQuestion>;

/** Secrets are filtered out of every text. */
export type RecallPassage = { ref: string; sourceType: string; text: string; timestamp: string };
type RecallHits = {
  /** What was searched. */
  scope: string;
  results: readonly Shown[];
  more: number;
  cursor?: string;
  partial: boolean;
  skipped: readonly string[];
  /** Quoted phrases that stand nowhere: the results match their words. */
  unmatched?: readonly string[];
  /** Pins that are in force. */
  pinned?: readonly { id: string; text: string; level: string }[];
  plan?: SearchPlan;
};
/** A query that is a ref, and the turns around one, give the words themselves. */
export type RecallView = RecallHits | { session: string; items: readonly RecallPassage[] } | Original;
export type ItemView = { item: Original | (RecallPassage & { session: string }); around?: readonly RecallPassage[] };
type StatsView = RecallStats & { enabled: boolean };

export type RecallOperations = {
  ask(question: RecallQuestion, signal?: AbortSignal): OperationOutcome<RecallView>;
  /** An item is named by its id or its ref; `around` adds so many turns on each side. */
  item(id: string, around?: number): OperationOutcome<ItemView>;
  /** What a new session in a folder would be told before a message. */
  injected(question: InjectionQuestion, signal: AbortSignal): OperationOutcome<InjectionPreview>;
  stats(): OperationOutcome<StatsView>;
  /** Erases for good; session logs keep what was said. */
  forget(choice: ForgetRequest): OperationOutcome<ErasureReport>;
};
/** `member`: of a team. */
export type OpenRecall = (member?: Member) => Promise<Result<RecallOperations, Failure>>;
