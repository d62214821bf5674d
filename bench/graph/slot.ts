// Thousands of values of one slot in any order: what the last hundred cost beside the first, and beside as many values of many slots.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedGraph } from "../../src/memory/graph/store/embedded.ts";
import { instantAt } from "../../src/memory/graph/time.ts";
import { say } from "../proxy-load.ts";
import { openHome } from "./fill.ts";

const VALUES = Number(process.env["VALUES"] ?? 10_000);
const STEP = 100;

export async function slots(): Promise<void> {
  const many = await spent((n) => `dial${n}`);
  const one = await spent(() => "dial");
  const ends = (list: readonly number[]) => ({ first: middle(list.slice(0, 5)), last: middle(list.slice(-5)) });
  const [slot, apart] = [ends(one), ends(many)];
  const growth = slot.last / slot.first;
  say(`${VALUES} values of one slot in any order, the last 100 to the first`, growth, " times", "<= 10", growth <= 10);
  console.log(
    `     first ${slot.first.toFixed(0)} ms, last ${slot.last.toFixed(0)} ms of processor time; ${VALUES} slots of one value in the same run: first ${apart.first.toFixed(0)} ms, last ${apart.last.toFixed(0)} ms, ${(apart.last / apart.first).toFixed(1)} times`,
  );
}

/** Processor time of each hundred values. */
async function spent(subject: (n: number) => string): Promise<number[]> {
  const home = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const db = await openHome(home);
  const store = embeddedGraph(db);
  const list: number[] = [];
  const term = (name: string) => ({ name, label: "Term" }) as const;
  for (let i = 0; i < VALUES; i += STEP) {
    const before = process.cpuUsage();
    const facts = Array.from({ length: STEP }, (_, k) => {
      const n = ((i + k) * 7919) % VALUES;
      const text = `The ${subject(n)} is now v${n}x.`;
      const validAt = instantAt(Date.UTC(2025, 0, 1) + n * 60_000);
      return { subject: term(subject(n)), relation: "HAS_VALUE", object: term(`v${n}x`), text, validAt };
    });
    const value = { entities: [], facts, endings: [] };
    const said = { name: `n${i}`, text: `Log ${i}.`, role: null, roleType: "user" } as const;
    const episode = { ...said, extraction: { value, origin: "rule" } } as const;
    const now = instantAt(Date.UTC(2026, 0, 1));
    const accepted = await store.accept({ group: "g", origin: "api", episodes: [episode], now });
    if (!accepted.ok) throw new Error(JSON.stringify(accepted.error));
    const { user, system } = process.cpuUsage(before);
    list.push((user + system) / 1000);
  }
  db.close();
  rmSync(home, { recursive: true, force: true });
  return list;
}

const middle = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
