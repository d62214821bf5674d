// The unit that is kept or dropped whole: one assistant step with its reasoning, its calls and all their results.
import type { ContextItem } from "../../schema/context-item.ts";

export type Group = {
  /** A step of the assistant; a prompt; or any other item standing alone. */
  kind: "step" | "prompt" | "other";
  /** Positions of its items, ascending. A result may stand apart from its step, behind a later prompt. */
  indexes: number[];
};
type Draft = Group & { answered: boolean };

/** Every item is in exactly one group; groups are in the order of their first items. */
export function groups(items: readonly ContextItem[]): Group[] {
  const drafts = new Set<Draft>();
  const callers = new Map<string, Draft>();
  let previous: Draft | undefined;
  for (const [index, item] of items.entries()) {
    const group = answeredStep(item, drafts, callers) ?? continued(item, previous) ?? newDraft(item);
    group.indexes.push(index);
    drafts.add(group);
    for (const id of item.toolCallIds) callers.set(id, group);
    previous = group;
  }
  return [...drafts]
    .map(({ kind, indexes }) => ({ kind, indexes: indexes.sort((a, b) => a - b) }))
    .sort((a, b) => (a.indexes[0] ?? 0) - (b.indexes[0] ?? 0));
}

/** Results go with their step. One message may hold results of several steps: these cannot be parted any more. */
function answeredStep(item: ContextItem, drafts: Set<Draft>, callers: Map<string, Draft>): Draft | undefined {
  if (item.toolResultFor.length === 0) return undefined;
  const [first, ...others] = new Set(item.toolResultFor.flatMap((id) => callers.get(id) ?? []));
  if (!first) return undefined;
  first.answered = true;
  for (const other of others) {
    first.indexes.push(...other.indexes);
    drafts.delete(other);
    for (const [id, group] of callers) if (group === other) callers.set(id, first);
  }
  return first;
}

/** What is of unknown kind stays with what stands before it; an assistant item goes on with a step until it has results. */
function continued(item: ContextItem, previous: Draft | undefined): Draft | undefined {
  if (item.kind === "opaque") return previous;
  const goesOn = previous?.kind === "step" && !previous.answered && newDraft(item).kind === "step";
  return goesOn ? previous : undefined;
}

function newDraft(item: ContextItem): Draft {
  const step = item.role === "assistant" && item.kind !== "compaction";
  return { kind: item.isPrompt ? "prompt" : step ? "step" : "other", indexes: [], answered: false };
}
