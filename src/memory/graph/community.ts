// Communities: things that facts join closely, found by label propagation that gives the same groups every time.
import type { Fact } from "../../schema/graph.ts";

export type Community = {
  /** That of its best connected member. */
  name: string;
  /** Best connected first. */
  members: { uuid: string; name: string }[];
  /** Some of the facts inside it, as they stand. */
  summary: string[];
};

const FEWEST = 3;
const ROUNDS = 20;
const SUMMARY_FACTS = 3;

type Node = { uuid: string; name: string; key: string; neighbours: Map<string, number> };

/** The communities of one group's facts depend on names and facts alone, not on ids or on the order they come in. */
export function communitiesOf(facts: readonly Fact[]): Community[] {
  const nodes = nodesOf(facts);
  const order = [...nodes.values()].sort((a, b) => b.neighbours.size - a.neighbours.size || compare(a.key, b.key));
  const labels = new Map(order.map(({ uuid, key }) => [uuid, key]));
  for (let round = 0; round < ROUNDS; round++) {
    let hasChanged = false;
    for (const node of order) {
      const label = strongest(node, labels);
      if (label === labels.get(node.uuid)) continue;
      labels.set(node.uuid, label);
      hasChanged = true;
    }
    if (!hasChanged) break;
  }
  const groups = Map.groupBy(order, ({ uuid }) => labels.get(uuid) ?? "");
  return [...groups.values()]
    .filter((members) => members.length >= FEWEST)
    .map((members) => communityOf(members, facts))
    .sort((a, b) => b.members.length - a.members.length || compare(a.name, b.name));
}

function nodesOf(facts: readonly Fact[]): Map<string, Node> {
  const nodes = new Map<string, Node>();
  const nodeOf = ({ uuid, name }: Fact["subject"]): Node => {
    const node = nodes.get(uuid) ?? { uuid, name, key: name.toLowerCase(), neighbours: new Map() };
    nodes.set(uuid, node);
    return node;
  };
  for (const { subject, object } of facts) {
    const [from, to] = [nodeOf(subject), nodeOf(object)];
    from.neighbours.set(to.uuid, (from.neighbours.get(to.uuid) ?? 0) + 1);
    to.neighbours.set(from.uuid, (to.neighbours.get(from.uuid) ?? 0) + 1);
  }
  return nodes;
}

/** The label that most neighbours have; of equal ones the first by name. */
function strongest({ uuid, neighbours }: Node, labels: ReadonlyMap<string, string>): string {
  const weights = new Map<string, number>();
  for (const [neighbour, weight] of neighbours) {
    const label = labels.get(neighbour) ?? "";
    weights.set(label, (weights.get(label) ?? 0) + weight);
  }
  const own = labels.get(uuid) ?? "";
  weights.set(own, (weights.get(own) ?? 0) + 0.5); // who is undecided stays
  return [...weights].sort(([a, x], [b, y]) => y - x || compare(a, b))[0]?.[0] ?? own;
}

function communityOf(members: readonly Node[], facts: readonly Fact[]): Community {
  const ranks = new Map(members.map(({ uuid, neighbours }) => [uuid, neighbours.size]));
  const rankOf = ({ subject, object }: Fact): number => (ranks.get(subject.uuid) ?? 0) + (ranks.get(object.uuid) ?? 0);
  const inside = facts.filter(({ subject, object }) => ranks.has(subject.uuid) && ranks.has(object.uuid));
  inside.sort((a, b) => rankOf(b) - rankOf(a) || compare(b.validAt, a.validAt) || compare(a.text, b.text));
  return {
    name: members[0]?.name ?? "",
    members: members.map(({ uuid, name }) => ({ uuid, name })),
    summary: [...new Set(inside.map(({ text }) => text))].slice(0, SUMMARY_FACTS),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
