// What a promotion says, as typed facts: by its kind and by the rules, without a model.
import { clip, firstLine } from "../../base/text.ts";
import { type EntityDraft, type Extraction, type FactDraft, MAX_FACT_TEXT, MAX_NAME } from "../graph/extract/draft.ts";
import { extractFacts } from "../graph/extract/extract.ts";
import type { EntityLabel, RelationName } from "../graph/extract/relation.ts";
import type { Promotion } from "./block.ts";
import type { PromotionKind } from "./kind.ts";

const SPEAKER: EntityDraft = { name: "user", label: "User" };

type KindRule = {
  /** What the text itself is. */
  label: EntityLabel;
  relation: RelationName;
  /** Where the rules read this relation from the text, their fact says it better: it has a slot, so a later one ends it. */
  stated?: RelationName;
};
const RULES: Readonly<Record<PromotionKind, KindRule>> = {
  decision: { label: "Decision", relation: "APPLIES_TO" },
  lesson_learned: { label: "Lesson", relation: "APPLIES_TO" },
  preference: { label: "Preference", relation: "PREFERS", stated: "PREFERS" },
  procedure: { label: "Procedure", relation: "APPLIES_TO" },
  task_update: { label: "Task", relation: "APPLIES_TO", stated: "HAS_STATUS" },
  terminology: { label: "Term", relation: "APPLIES_TO", stated: "TERMINOLOGY_FOR" },
};

/** `owner`: the name of the workspace that it is about. */
export function promotedFacts({ kind, scope, at, text }: Promotion, owner: string): Extraction {
  const { label, relation, stated } = RULES[kind];
  const rules = extractFacts({ text, role: "user", at });
  const place: EntityDraft = scope === "user" ? SPEAKER : { name: owner, label: "Repository" };
  const self: EntityDraft = { name: firstLine(text, MAX_NAME), label };
  const ends = relation === "PREFERS" ? { subject: SPEAKER, object: self } : { subject: self, object: place };
  const whole: FactDraft = {
    ...ends,
    relation,
    text: clip(text.replace(/\s+/g, " ").trim(), MAX_FACT_TEXT),
    validAt: at,
  };
  const isStated = stated !== undefined && rules.facts.some((fact) => fact.relation === stated);
  return { ...rules, facts: isStated ? rules.facts : [whole, ...rules.facts] };
}
