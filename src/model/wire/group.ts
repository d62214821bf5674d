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
  const drafts: Draft[] = [];
  const callers = new Map<string, Draft>();
  let previous: Draft | undefined;
  for (const [index, item] of items.entries()) {
    let group = answeredStep(item, callers) ?? continued(item, previous);
    if (!group) {
      group = newDraft(item);
      drafts.push(group);
    }
    group.indexes.push(index);
    for (const id of item.toolCallIds) callers.set(id, group);
    previous = group;
  }
  // A draft that went over to an earlier one has no items left. What remains is in order: groups begin as they come.
  return drafts.flatMap(({ kind, indexes }) => (indexes.length > 0 ? { kind, indexes } : []));
}

/** Results go with their step. One message may hold results of several steps: these cannot be parted any more. */
function answeredStep(item: ContextItem, callers: Map<string, Draft>): Draft | undefined {
  let first: Draft | undefined;
  for (const id of item.toolResultFor) {
    const step = callers.get(id);
    if (!step || step === first) continue;
    first = first ? joined(first, step, callers) : step;
  }
  if (first) first.answered = true;
  return first;
}

/** The earlier one takes over the other's items and calls. */
function joined(a: Draft, b: Draft, callers: Map<string, Draft>): Draft {
  const [into, from] = (a.indexes[0] ?? 0) < (b.indexes[0] ?? 0) ? [a, b] : [b, a];
  into.indexes.push(...from.indexes.splice(0));
  into.indexes.sort((x, y) => x - y);
  for (const [id, step] of callers) if (step === from) callers.set(id, into);
  return into;
}

/** What is of unknown kind stays with what stands before it; an assistant item goes on with a step until it has results. */
function continued(item: ContextItem, previous: Draft | undefined): Draft | undefined {
  if (item.kind === "opaque") return previous;
  const goesOn = previous?.kind === "step" && !previous.answered && kindOf(item) === "step";
  return goesOn ? previous : undefined;
}

const newDraft = (item: ContextItem): Draft => ({ kind: kindOf(item), indexes: [], answered: false });

function kindOf(item: ContextItem): Group["kind"] {
  if (item.isPrompt) return "prompt";
  return item.role === "assistant" && item.kind !== "compaction" ? "step" : "other";
}
