// The graph behind the gateway: what a posted message costs its writer, when its fact is found, and searches among many facts.
import { cpSync, existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fill, GROUPS, plainSearch, questionsAmong } from "./graph/fill.ts";
import { forgetting } from "./graph/forget.ts";
import { message, type Posting, postAll, query, send } from "./graph/load.ts";
import { slots } from "./graph/slot.ts";
import {
  type Gateway,
  p50,
  processorMs,
  quantile,
  removeHome,
  rssMb,
  say,
  startGateway,
  startPart,
  wholeProcessorMs,
} from "./proxy-load.ts";

const WRITERS = 32;
const FACTS = Number(process.env["FACTS"] ?? 100_000);
const OPEN = { EVERLONG_GATEWAY_AUTH: "loopback-open", EVERLONG_RECALL_TIMEOUT_MS: "20000" };
const p95 = (values: readonly number[]): number => quantile(values, 0.95);

/** `ONLY=messages npm run bench -- graph.` runs one part; the others are `slots`, `searches` and `forgetting`. */
export async function bench(): Promise<void> {
  const { ONLY } = process.env;
  for (const [name, part] of Object.entries({ messages, slots, searches, forgetting }))
    if (ONLY === undefined || ONLY === name) await part();
}

async function messages(): Promise<void> {
  const baseline = await startPart("insert");
  const gateway = await startGateway("http://127.0.0.1:9", OPEN);
  try {
    // A round of the same load first: what a server does in its first second is compile.
    await postAll(gateway, { writers: WRITERS, each: 60 });
    await postAll(baseline, { writers: WRITERS, each: 60 });
    await drained(gateway);
    for (let round = 1; round <= 3; round++) {
      const bare = await postAll(baseline, { writers: WRITERS, each: 60 });
      const from = processorMs(gateway.pid);
      const full = await postAll(gateway, { writers: WRITERS, each: 60 });
      tellPosting(`round ${round}, ${WRITERS} writers without a pause`, full, bare);
      console.log(
        `     main thread ${((processorMs(gateway.pid) - from) / full.ms.length).toFixed(2)} ms of processor time a message`,
      );
      const rest = await drained(gateway);
      console.log(
        `     all read ${(rest / 1000).toFixed(1)} s after the last, ${(full.ms.length / ((full.wall + rest) / 1000)).toFixed(0)} messages a second from post to fact`,
      );
    }
    const bare = await postAll(baseline, { writers: WRITERS, each: 20, pauseMs: 200 });
    const paced = await postAll(gateway, { writers: WRITERS, each: 20, pauseMs: 200 });
    tellPosting(`${WRITERS} writers, one message in 200 ms each`, paced, bare);
    await drained(gateway);
    await searchable(gateway);
    console.log(`     RSS ${rssMb(gateway.pid).toFixed(0)} MB`);
  } finally {
    await baseline.stop();
    await gateway.stop();
    removeHome(gateway);
  }
}

function tellPosting(name: string, { ms, wall }: Posting, bare: Posting): void {
  say(`acknowledged p95, ${name}`, p95(ms), " ms", "<= 10 ms", p95(ms) <= 10);
  const line = (of: Posting) =>
    `p50 ${p50(of.ms).toFixed(1)} p95 ${p95(of.ms).toFixed(1)} ms, ${((of.ms.length * 1000) / of.wall).toFixed(0)} a second`;
  console.log(
    `     p50 ${p50(ms).toFixed(1)} ms, ${((ms.length * 1000) / wall).toFixed(0)} a second; one bare insert a message in the same run: ${line(bare)}, ratio ${(p95(ms) / p95(bare.ms)).toFixed(1)}`,
  );
}

/** Until the message that was posted last is a fact. */
async function drained(gateway: Gateway): Promise<number> {
  const from = performance.now();
  const mark = `drain${Math.round(from * 1000)}`;
  for (let group = 0; group < 8; group++)
    await send(gateway, `g${group}`, [message(`The ${mark}${group} job is now green.`)]);
  for (let group = 0; group < 8; group++)
    while ((await query(gateway, [`g${group}`], `${mark}${group}`)).facts.length === 0);
  return performance.now() - from;
}

async function searchable(gateway: Gateway): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < 60; i++) {
    const from = performance.now();
    await send(gateway, "idle", [message(`The beacon${i} job is now c${i}.`)]);
    while ((await query(gateway, ["idle"], `beacon${i}`)).facts.length === 0);
    times.push(performance.now() - from);
  }
  say("from post to a search that finds it p95, idle", p95(times), " ms", "<= 1000 ms", p95(times) <= 1000);
  console.log(`     p50 ${p50(times).toFixed(1)} ms`);
}

/** `STORE=FOLDER` keeps the filled store there, and takes it from there the next time. */
async function filledHome(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const { STORE } = process.env;
  const filled = STORE === undefined ? undefined : join(STORE, `graph-${FACTS}`);
  const from = performance.now();
  if (!filled || !existsSync(filled)) await fill(join(home, "home"), FACTS);
  console.log(`     ${FACTS} facts in ${GROUPS} groups written in ${((performance.now() - from) / 1000).toFixed(0)} s`);
  if (filled && existsSync(filled)) cpSync(filled, join(home, "home"), { recursive: true });
  else if (filled) cpSync(join(home, "home"), filled, { recursive: true });
  return home;
}

async function searches(): Promise<void> {
  const home = await filledHome();
  const words = questionsAmong(FACTS);
  const gateway = await startGateway("http://127.0.0.1:9", OPEN, home);
  try {
    const all = Array.from({ length: GROUPS }, (_, i) => `g${i}`);
    const plain = plainSearch(join(home, "home"));
    for (const [name, groups, make] of [
      ["one group, two words", ["g3"], words.two],
      ["20 groups, two words", all, words.two],
      ["20 groups, a common and a rare word", all, words.common],
      ["20 groups, a sentence", all, words.sentence],
    ] as const) {
      const [ours, bare]: [number[], number[]] = [[], []];
      let from = 0;
      for (let i = 0; i < 220; i++) {
        if (i === 20) from = wholeProcessorMs(gateway.pid);
        const text = make(i);
        const answer = await query(gateway, [...groups], text);
        const start = performance.now();
        plain.search(text);
        const other = performance.now() - start;
        if (i < 20) continue; // warm
        ours.push(answer.ms);
        bare.push(other);
      }
      const processor = (wholeProcessorMs(gateway.pid) - from) / ours.length;
      say(`search p95 over HTTP, ${name}`, p95(ours), " ms", "<= 30 ms", p95(ours) <= 30);
      console.log(
        `     p50 ${p50(ours).toFixed(1)} ms, ${processor.toFixed(1)} ms of processor time; a plain OR of all words with BM25 in process: p50 ${p50(bare).toFixed(1)} p95 ${p95(bare).toFixed(1)} ms`,
      );
    }
    plain.close();
  } finally {
    await gateway.stop();
    removeHome(gateway);
  }
}
