// What is drawn: which facts there were at a moment, and at most 500 entities of them.
import type { EntityShape, FactShape } from "../../../src/schema/api/graph.ts";

type PictureNode = { id: string; name: string; kind: string; isOpen: boolean };
type PictureEdge = { id: string; from: string; to: string; label: string; hasEnded: boolean };
export type GraphPicture = { nodes: PictureNode[]; edges: PictureEdge[]; left: SeenFact[] };
/** A fact as it was at the moment that is looked at. */
export type SeenFact = { fact: FactShape; hasEnded: boolean };

const MOST_NODES = 500;

/** Whether it was over by then; without a moment: now. */
export const hasEnded = ({ invalidAt }: FactShape, moment: number | undefined): boolean =>
  invalidAt !== null && Date.parse(invalidAt) <= (moment ?? Date.now());

/** Facts that had begun by then. */
export function factsAt(facts: readonly FactShape[], moment: number | undefined, withEnded: boolean): SeenFact[] {
  return facts
    .filter(({ validAt }) => moment === undefined || Date.parse(validAt) <= moment)
    .map((fact) => ({ fact, hasEnded: hasEnded(fact, moment) }))
    .filter((one) => withEnded || !one.hasEnded);
}

const day = (moment: string): string => moment.slice(0, 10);
const words = (relation: string): string => relation.toLowerCase().replaceAll("_", " ");

export function pictureOf(
  facts: readonly SeenFact[],
  entities: ReadonlyMap<string, EntityShape>,
  opened: readonly string[],
): GraphPicture {
  const nodes = new Map<string, PictureNode>();
  const edges: PictureEdge[] = [];
  const left: SeenFact[] = [];
  const open = new Set(opened);
  // What holds now is drawn first when not everything fits.
  const ordered = [...facts].sort((a, b) => Number(a.hasEnded) - Number(b.hasEnded));
  for (const one of ordered) {
    const { fact } = one;
    const ends = [fact.subject, fact.object];
    const added = ends.filter(({ uuid }) => !nodes.has(uuid));
    if (nodes.size + added.length > MOST_NODES) {
      left.push(one);
      continue;
    }
    for (const { uuid, name } of added)
      nodes.set(uuid, { id: uuid, name, kind: entities.get(uuid)?.label ?? "", isOpen: open.has(uuid) });
    const label =
      one.hasEnded && fact.invalidAt ? `${words(fact.relation)} (until ${day(fact.invalidAt)})` : words(fact.relation);
    edges.push({ id: fact.uuid, from: fact.subject.uuid, to: fact.object.uuid, label, hasEnded: one.hasEnded });
  }
  return { nodes: [...nodes.values()], edges, left };
}

/** Every moment at which something begins or ends, in order. */
export function momentsOf(facts: readonly FactShape[]): number[] {
  const all = facts.flatMap(({ validAt, invalidAt }) => [
    Date.parse(validAt),
    ...(invalidAt ? [Date.parse(invalidAt)] : []),
  ]);
  return [...new Set(all)].filter((moment) => !Number.isNaN(moment)).sort((a, b) => a - b);
}
