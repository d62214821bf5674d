// The kinds of what a person promotes, the words that name them, and the scope that each belongs to.
import { entryOf } from "../../base/own-entry.ts";

export const PROMOTION_KINDS = [
  "decision",
  "lesson_learned",
  "preference",
  "procedure",
  "task_update",
  "terminology",
] as const;
export type PromotionKind = (typeof PROMOTION_KINDS)[number];

export const PROMOTION_SCOPES = ["workspace", "user"] as const;
export type PromotionScope = (typeof PROMOTION_SCOPES)[number];

export const isPromotionKind = (text: string): text is PromotionKind =>
  (PROMOTION_KINDS as readonly string[]).includes(text);
export const isPromotionScope = (text: string): text is PromotionScope =>
  (PROMOTION_SCOPES as readonly string[]).includes(text);

const OTHER_NAMES: Readonly<Record<string, PromotionKind>> = {
  lesson: "lesson_learned",
  lessons: "lesson_learned",
  lessons_learned: "lesson_learned",
  remember: "lesson_learned",
  note: "lesson_learned",
  preferences: "preference",
  pref: "preference",
  prefs: "preference",
  steps: "procedure",
  howto: "procedure",
  how_to: "procedure",
  task: "task_update",
  taskupdate: "task_update",
  todo: "task_update",
  term: "terminology",
  naming: "terminology",
};

/** In any case, with spaces or dashes for underscores. */
export function kindNamed(name: string): PromotionKind | undefined {
  const folded = name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, "_");
  if (isPromotionKind(folded)) return folded;
  return entryOf(OTHER_NAMES, folded);
}

/** These are about a project, whatever they say. */
const OF_A_PROJECT: readonly PromotionKind[] = ["decision", "procedure", "task_update"];
const USER_CUE =
  /\bi prefer\b|\bmy (?:preferences?|terminology|setup|workflow|style|conventions?|config|settings)\b|\bin general\b|\bacross (?:all )?(?:my )?(?:repos|repositories|projects|workspaces)\b/i;
const WORKSPACE_CUE = /\bthis (?:repo|repository|project|workspace|codebase)\b|\bhere\b/i;

/** The user's own only where the text says so; in doubt the workspace's. */
export function scopeOf(kind: PromotionKind, text: string): PromotionScope {
  if (OF_A_PROJECT.includes(kind)) return "workspace";
  return USER_CUE.test(text) && !WORKSPACE_CUE.test(text) ? "user" : "workspace";
}
