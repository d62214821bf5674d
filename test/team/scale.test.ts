// W16: the simulation of a team adds up as queues do, and docs/scale.md has a row for each size.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { simulate } from "../../bench/scale/simulate.ts";

const cost = { nodeMs: 2, databaseMs: 4, heldMs: 1 };
const machines = { nodes: 2, coresOfNode: 1, connectionsOfNode: 10, coresOfDatabase: 4 };

it("W16 use is rate times cost; beyond what the database can do, waits grow without end", () => {
  const calm = simulate(200, cost, machines);
  expect(calm.databaseUse).toBeCloseTo((200 * 4) / 1000 / 4, 1);
  expect(calm.nodeUse).toBeCloseTo((200 * 2) / 1000 / 2, 1);
  expect(calm.p50).toBeLessThan(15);
  const [full, over] = [simulate(950, cost, machines), simulate(1300, cost, machines)];
  expect(full.databaseUse).toBeGreaterThan(0.85);
  expect(full.p99).toBeGreaterThan(calm.p99);
  expect(over.p50).toBeGreaterThan(full.p50 * 5);
});

it("W16 docs/scale.md has the arithmetic for 100, 10,000 and 1,000,000 users", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "scale.md"), "utf8");
  for (const users of ["100", "10,000", "1,000,000"]) expect(page).toMatch(new RegExp(`^\\| ${users} \\|`, "m"));
  for (const word of ["connections", "WAL", "Index", "replicas", "Partitioning", "Citus"]) expect(page).toContain(word);
});
