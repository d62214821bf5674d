// The vocabulary of the graph: labels of entities with how their names match, relations with their kinds, synonyms.

/** How two names of one label are compared: as written, folded, or as the beginning of a hash. */
type NameMatch = "exact" | "folded" | "prefix";
type LabelRule = {
  match: NameMatch;
  /** Whether near names may be one entity. */
  fuzzy: boolean;
};

const folded: LabelRule = { match: "folded", fuzzy: true };
const exact: LabelRule = { match: "exact", fuzzy: false };
const numbered: LabelRule = { match: "folded", fuzzy: false };

export const LABELS = {
  Repository: folded,
  Branch: exact,
  Commit: { match: "prefix", fuzzy: false },
  PullRequest: numbered,
  File: exact,
  Symbol: exact,
  Decision: folded,
  Task: numbered,
  Incident: folded,
  Tool: folded,
  Service: folded,
  User: folded,
  Workspace: folded,
  Session: folded,
  Preference: folded,
  Procedure: folded,
  Lesson: folded,
  Term: folded,
  Package: exact,
} as const satisfies Record<string, LabelRule>;
export type EntityLabel = keyof typeof LABELS;

type RelationRule = {
  /** Labels that the subject and the object may have; absent is any. */
  subject?: readonly EntityLabel[];
  object?: readonly EntityLabel[];
  /** Whether a subject has one object at a time: of all its facts, or of those with the same slot. */
  single?: "always" | "in-slot";
};

const changes: readonly EntityLabel[] = ["Commit", "PullRequest"];

export const RELATIONS = {
  APPLIES_TO: { subject: ["Preference", "Lesson"], object: ["Repository", "Workspace", "Term", "Service"] },
  OWNS: { subject: ["User"] },
  HAPPENED_ON: { subject: ["Incident"], object: ["Branch", "Commit"] },
  MODIFIES: { subject: changes, object: ["File", "Symbol"] },
  IMPLEMENTS: { subject: changes, object: ["Task", "PullRequest", "Incident"] },
  BLOCKS: {},
  DEPENDS_ON: {},
  USES_TOOL: { subject: ["Procedure", "Session"], object: ["Tool"] },
  PREFERS: { subject: ["User"], single: "in-slot" },
  ALIAS_OF: {},
  TERMINOLOGY_FOR: { subject: ["Term"], object: ["Term"], single: "always" },
  FOLLOWS: { subject: ["Procedure"], object: ["Procedure"] },
  CREATED: { subject: ["User"] },
  AUTHORED: { subject: ["User"] },
  HAS_STATUS: { object: ["Term"], single: "always" },
  HAS_VALUE: { single: "always" },
  USES: {},
  LIVES_IN: { subject: ["User"], object: ["Term"], single: "always" },
  WORKS_AT: { subject: ["User"], object: ["Term"], single: "always" },
  LOCATED_AT: { single: "always" },
  NAMED: { single: "always" },
} as const satisfies Record<string, RelationRule>;
export type RelationName = keyof typeof RELATIONS;

/** Other names under which models and clients state these relations. */
const SYNONYMS: Readonly<Record<string, RelationName>> = {
  STATUS: "HAS_STATUS",
  HAS_STATE: "HAS_STATUS",
  STATE_IS: "HAS_STATUS",
  VALUE: "HAS_VALUE",
  IS_SET_TO: "HAS_VALUE",
  EQUALS: "HAS_VALUE",
  RESIDES_IN: "LIVES_IN",
  LIVES_AT: "LIVES_IN",
  BASED_IN: "LIVES_IN",
  WORKS_FOR: "WORKS_AT",
  EMPLOYED_BY: "WORKS_AT",
  EMPLOYED_AT: "WORKS_AT",
  LOCATED_IN: "LOCATED_AT",
  IS_LOCATED_IN: "LOCATED_AT",
  IS_LOCATED_AT: "LOCATED_AT",
  HOSTED_ON: "LOCATED_AT",
  DEPLOYED_TO: "LOCATED_AT",
  DEFINED_IN: "LOCATED_AT",
  IS_CALLED: "NAMED",
  HAS_NAME: "NAMED",
  RENAMED_TO: "NAMED",
  MEANS: "TERMINOLOGY_FOR",
  STANDS_FOR: "TERMINOLOGY_FOR",
  IS_ALIAS_OF: "ALIAS_OF",
  ALSO_KNOWN_AS: "ALIAS_OF",
  REQUIRES: "DEPENDS_ON",
  NEEDS: "DEPENDS_ON",
  RELIES_ON: "DEPENDS_ON",
  IMPORTS: "DEPENDS_ON",
  CLOSES: "IMPLEMENTS",
  FIXES: "IMPLEMENTS",
  RESOLVES: "IMPLEMENTS",
  CHANGES: "MODIFIES",
  TOUCHES: "MODIFIES",
  MAINTAINS: "OWNS",
  RESPONSIBLE_FOR: "OWNS",
  LIKES: "PREFERS",
  WROTE: "AUTHORED",
  OPENED: "CREATED",
  OCCURRED_ON: "HAPPENED_ON",
};

/** The one name of a relation, whatever a model or a client calls it; an unknown one stays, in capitals. */
export function relationName(name: string): string {
  const capitals = name
    .trim()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "")
    .toUpperCase();
  return SYNONYMS[capitals] ?? capitals;
}

export const relationRule = (relation: string): RelationRule =>
  Object.hasOwn(RELATIONS, relation) ? RELATIONS[relation as RelationName] : {};
