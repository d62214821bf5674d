// What the searching thread is asked and answers.
import type { ListAnswer, ListRequest } from "../list.ts";
import type { SearchAnswer, SearchRequest } from "../search.ts";
import type { RecallStats } from "../stats.ts";
import type { Within } from "../store/scope.ts";

export type ThreadData = { everlongRecall: { path: string } };
export type ThreadQuestion =
  | { type: "start" }
  | { type: "search"; request: SearchRequest }
  | { type: "list"; request: ListRequest }
  | { type: "stats" }
  /** Questions there are to be expected. */
  | { type: "ahead"; within: Within };
/** `until`: nobody waits for the answer any more; wall time, which threads share. */
export type ThreadRequest = ThreadQuestion & { id: number; until: number };
export type ThreadAnswers = { search: SearchAnswer; list: ListAnswer; stats: RecallStats };
export type ThreadReply = { id: number } & (
  | { type: "started" | "noted" }
  | { [Type in keyof ThreadAnswers]: { type: Type; answer: ThreadAnswers[Type] } }[keyof ThreadAnswers]
  /** It came too late to be answered. */
  | { type: "late" }
  /** `damaged`: the index itself is broken. */
  | { type: "failed"; message: string; damaged?: boolean }
);
