// Forgetting much at once: how long a whole group, everything and one entity of many facts take, and what others wait meanwhile.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ForgetTarget, GraphStore } from "../../src/memory/graph/contract.ts";
import { rulesExtractor } from "../../src/memory/graph/extract/rules.ts";
import { GraphIngest } from "../../src/memory/graph/ingest.ts";
import { embeddedGraph } from "../../src/memory/graph/store/embedded.ts";
import { instantAt } from "../../src/memory/graph/time.ts";
import { say } from "../proxy-load.ts";
import { openHome } from "./fill.ts";
import { chat } from "./load.ts";

const SIZES = (process.env["SIZES"] ?? "1000,2500,5000,10000").split(",").map(Number);
const GROUP = "g";
/** Every message says something of it. */
const HUB = "Harbour";

type Target = (store: GraphStore) => Promise<ForgetTarget>;
type Content = (n: number) => string;
const hub: Content = (n) => `${HUB} depends on tool${n}x.`;

export async function forgetting(): Promise<void> {
  const targets: [name: string, content: Content, target: Target][] = [
    ["a group", chat, async () => ({ type: "group", id: GROUP })],
    ["everything", chat, async () => ({ type: "everything" })],
    ["an entity", hub, entityNamed],
  ];
  for (const [name, content, target] of targets) for (const size of SIZES) await forgetAll(name, size, content, target);
}

async function entityNamed(store: GraphStore): Promise<ForgetTarget> {
  const found = await store.entities({ name: HUB });
  return { type: "entity", id: (found.ok ? found.value[0]?.uuid : undefined) ?? "" };
}

async function forgetAll(name: string, size: number, content: Content, target: Target): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const db = await openHome(home);
  try {
    const store = embeddedGraph(db);
    await fillGroup(store, size, content);
    const chosen = await target(store);
    const lag = monitorEventLoopDelay({ resolution: 1 });
    lag.enable();
    const from = performance.now();
    const outcome = await store.forget(chosen);
    const took = performance.now() - from;
    lag.disable();
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
    const { episodes, facts, entities } = outcome.value;
    say(`forgetting ${name} of ${size} messages`, took / 1000, " s", "<= 5 s", took <= 5000);
    console.log(
      `     ${episodes} episodes, ${facts} facts, ${entities} entities; others waited at most ${(lag.max / 1e6).toFixed(0)} ms, p99 ${(lag.percentile(99) / 1e6).toFixed(0)} ms`,
    );
  } finally {
    db.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function fillGroup(store: GraphStore, size: number, content: Content): Promise<void> {
  const now = instantAt(Date.UTC(2026, 5, 1));
  const episodes = Array.from({ length: size }, (_, n) => ({
    name: `m${n}`,
    text: content(n),
    role: "Ann",
    roleType: "user" as const,
    validAt: instantAt(Date.UTC(2026, 0, 1) + n * 1000),
  }));
  const accepted = await store.accept({ group: GROUP, origin: "api", episodes, now });
  if (!accepted.ok) throw new Error(JSON.stringify(accepted.error));
  const ingest = new GraphIngest({ store, extractor: rulesExtractor });
  ingest.wake();
  await ingest.idle(600_000);
}
