// The unit that is kept or dropped whole: one assistant step with its reasoning, its calls and all their results.
import type { ContextItem } from "../../schema/context-item.ts";

export type Group = {
  /** A step of the assistant; a prompt; or any other item standing alone. */
  kind: "step" | "prompt" | "other";
  /** Positions of its items, ascending. A result may stand apart from its step, behind a later prompt. */
  indexes: number[];
};

/** Every item is in exactly one group; groups are in the order of their first items. */
export function groups(items: readonly ContextItem[]): Group[] {
  const all: Group[] = [];
  const callers = new Map<string, Group>();
  const answered = new Set<Group>();
  let previous: Group | undefined;
  items.forEach((item, index) => {
    const step = answeredStep(item, callers);
    if (step) answered.add(step);
    let group = step ?? (previous && goesWith(item, previous, answered) ? previous : undefined);
    if (group) group.indexes.push(index);
    else {
      group = { kind: kindOf(item), indexes: [index] };
      all.push(group);
    }
    for (const id of item.toolCallIds) callers.set(id, group);
    previous = group;
  });
  // One that went over to an earlier one has no items left. What remains is in order: groups begin as they come.
  return all.filter(({ indexes }) => indexes.length > 0);
}

/** Results go with their step. One message may hold results of several steps: these cannot be parted any more. */
function answeredStep(item: ContextItem, callers: Map<string, Group>): Group | undefined {
  let first: Group | undefined;
  if (item.toolResultFor.length === 0) return first;
  for (const id of item.toolResultFor) {
    const step = callers.get(id);
    if (!step || step === first) continue;
    first = first ? joined(first, step, callers) : step;
  }
  return first;
}

/** The earlier one takes over the other's items and calls. */
function joined(a: Group, b: Group, callers: Map<string, Group>): Group {
  const [into, from] = (a.indexes[0] ?? 0) < (b.indexes[0] ?? 0) ? [a, b] : [b, a];
  into.indexes.push(...from.indexes.splice(0));
  into.indexes.sort((x, y) => x - y);
  for (const [id, step] of callers) if (step === from) callers.set(id, into);
  return into;
}

/** What is of unknown kind stays with what stands before it; an assistant item goes on with a step until it has results. */
function goesWith(item: ContextItem, previous: Group, answered: ReadonlySet<Group>): boolean {
  if (item.kind === "opaque") return true;
  return previous.kind === "step" && kindOf(item) === "step" && !answered.has(previous);
}

function kindOf(item: ContextItem): Group["kind"] {
  if (item.isPrompt) return "prompt";
  return item.role === "assistant" && item.kind !== "compaction" ? "step" : "other";
}
