// Requests of many people over nodes and one database, as queues: what the measured costs add up to, request by request.
import { median } from "../measure.ts";

export type RequestCost = {
  /** Processor time of a node, milliseconds. */
  nodeMs: number;
  /** Processor time of the database. */
  databaseMs: number;
  /** Round trips and waits for the disk, during which a connection is held. */
  heldMs: number;
};
export type Machines = { nodes: number; coresOfNode: number; connectionsOfNode: number; coresOfDatabase: number };
export type Simulated = { p50: number; p99: number; nodeUse: number; databaseUse: number; connections: number };

/** A place where so many are served at a time, each at the earliest moment when one is free. */
class Station {
  readonly #free: number[];
  busy = 0;

  constructor(size: number) {
    this.#free = Array<number>(size).fill(0);
  }

  /** When the work begins that comes at `at`. */
  begin(at: number): { slot: number; start: number } {
    let slot = 0;
    for (let i = 1; i < this.#free.length; i++) if ((this.#free[i] ?? 0) < (this.#free[slot] ?? 0)) slot = i;
    return { slot, start: Math.max(at, this.#free[slot] ?? 0) };
  }

  end(slot: number, start: number, end: number): void {
    this.#free[slot] = end;
    this.busy += end - start;
  }
}

/** `rate`: requests a second, arriving at random. Times vary as they do in life: most are short, few are long. */
export function simulate(rate: number, cost: RequestCost, machines: Machines, requests = 40_000): Simulated {
  const random = seeded(7);
  const exponential = (mean: number): number => -mean * Math.log(1 - random());
  const nodes = Array.from({ length: machines.nodes }, () => ({
    cores: new Station(machines.coresOfNode),
    connections: new Station(machines.connectionsOfNode),
  }));
  const database = new Station(machines.coresOfDatabase);
  const took: number[] = [];
  let now = 0;
  for (let i = 0; i < requests; i++) {
    now += exponential(1000 / rate);
    const node = nodes[Math.floor(random() * nodes.length)];
    if (!node) continue;
    const work = exponential(cost.nodeMs);
    const core = node.cores.begin(now);
    node.cores.end(core.slot, core.start, core.start + work);
    const line = node.connections.begin(core.start + work);
    const query = database.begin(line.start);
    const queryEnd = query.start + exponential(cost.databaseMs);
    database.end(query.slot, query.start, queryEnd);
    const end = queryEnd + cost.heldMs;
    node.connections.end(line.slot, line.start, end);
    took.push(end - now);
  }
  const sum = (stations: readonly Station[], size: number): number =>
    stations.reduce((all, one) => all + one.busy, 0) / (now * size * stations.length);
  return {
    p50: median(took),
    p99: took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0,
    nodeUse: sum(
      nodes.map(({ cores }) => cores),
      machines.coresOfNode,
    ),
    databaseUse: sum([database], machines.coresOfDatabase),
    connections:
      sum(
        nodes.map(({ connections }) => connections),
        1,
      ) * machines.nodes,
  };
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
