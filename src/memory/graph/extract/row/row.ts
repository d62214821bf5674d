// The shape of a rule: a pattern, what it states, and the sentences that show it. The examples are the rule's tests.
import type { EntityDraft } from "../draft.ts";
import type { RelationName } from "../relation.ts";

/** The relation may depend on what stands in the slots; without one the sentence states nothing. */
type RelationChoice = (subject: EntityDraft, object: EntityDraft) => RelationName | undefined;

export type RuleRow = {
  /** See `pattern`. Slots: subject, object; `before` is what the object takes the place of; `purpose` a preference's slot. */
  pattern: string;
  relation: RelationName | RelationChoice;
  /** Who the subject is when the pattern has no slot for it. */
  subject?: "speaker" | "we";
  /** The sentence ends such a fact. */
  ends?: true;
  /** Only what people and system messages say: preferences, ownership and terminology. */
  personal?: true;
  /** Only with "now" or "currently" in the clause. */
  now?: true;
  /** Added to the subject's name: a port of the api is the `api port`. */
  attribute?: string;
  /** The words that, put between "we" and a decision, say what follows from it. */
  follows?: string;
  /** What was decided is a statement that is true from then on. */
  holds?: true;
  /** A sentence and its facts as `subject | RELATION | object`; an ending begins with `- `. */
  examples: readonly (readonly [sentence: string, ...facts: string[]])[];
  /** Sentences of the same words from which nothing follows. */
  counterexamples: readonly string[];
};
