// What memory tells beside its own outcomes, without any of its text: secrets taken out, cited files looked up.
import type { WorkTree } from "../../memory/record/write-contract.ts";
import type { Filtered, Redactor } from "../../memory/secret/filter.ts";

export type Redacted = { rule: string; count: number };

/** The same filter; `tell` hears of each rule that found something. */
export function tellingRedactor(redactor: Redactor, tell: (finding: Redacted) => void): Redactor {
  const report = (all: readonly Filtered[]): void => {
    const rules = all.flatMap(({ findings }) => findings.map(({ rule }) => rule));
    for (const rule of new Set(rules)) tell({ rule, count: rules.filter((one) => one === rule).length });
  };
  return {
    text(text) {
      const filtered = redactor.text(text);
      if (filtered.ok) report([filtered.value]);
      return filtered;
    },
    fields(fields) {
      const cleaned = redactor.fields(fields);
      if (cleaned.ok) report(Object.values(cleaned.value));
      return cleaned;
    },
  };
}

export type Looked = { verified: number; moved: number; changed: number; missing: number };

/** The same tree; `take` gives what was found since it was last asked, and nothing when no file was looked up. */
export function countingTree(tree: WorkTree): { tree: WorkTree; take: () => Looked | undefined } {
  let looked: Looked = { verified: 0, moved: 0, changed: 0, missing: 0 };
  return {
    tree: {
      ...tree,
      check(citation) {
        const state = tree.check(citation);
        if (state in looked) looked[state as keyof Looked]++;
        return state;
      },
    },
    take() {
      const taken = looked;
      looked = { verified: 0, moved: 0, changed: 0, missing: 0 };
      return Object.values(taken).some((n) => n > 0) ? taken : undefined;
    },
  };
}
