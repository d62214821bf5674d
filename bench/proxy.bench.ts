// The gateway against a direct call and a bare undici relay in the same run: what it adds, what requests share, how many it bears.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  Conversation,
  failedRequests,
  type Gateway,
  jsonMs,
  type Part,
  p50,
  p99,
  post,
  processorMs,
  prose,
  quantile,
  removeHome,
  rssMb,
  say,
  startGateway,
  startPart,
  UNMANAGED,
} from "./proxy-load.ts";
import { prefixes } from "./proxy-prefix.ts";

type Ways = { direct: Part; relay: Part; gateway: Gateway };
type Asked = [string, Record<string, string>];
type Sample = { direct: number[]; relay: number[]; gateway: number[]; processor: number; relayProcessor: number };

const SMALL = JSON.stringify({ model: "bench", messages: [{ role: "user", content: prose(1900) }] });

/** One after the other, by turns, so that all three see the same machine. */
async function byTurns(ways: Ways, rounds: number, make: (n: number) => Asked): Promise<Sample> {
  const sample = { direct: [] as number[], relay: [] as number[], gateway: [] as number[] };
  const [from, relayFrom] = [processorMs(ways.gateway.pid), processorMs(ways.relay.pid)];
  for (let n = 0; n < rounds; n++) {
    const [body, headers] = make(n);
    sample.direct.push((await post(ways.direct, body, headers)).ms);
    sample.relay.push((await post(ways.relay, body, headers)).ms);
    sample.gateway.push((await post(ways.gateway, body, headers)).ms);
  }
  const processor = (processorMs(ways.gateway.pid) - from) / rounds;
  return { ...sample, processor, relayProcessor: (processorMs(ways.relay.pid) - relayFrom) / rounds };
}

/** Where the gateway itself says that the time went: reading the body, planning, the rest. */
async function stages({ gateway }: Ways): Promise<string> {
  const token = readFileSync(join(gateway.home, "home", "gateway.token"), "utf8").trim();
  const path = "/api/proxy/requests?limit=300";
  const answer = await gateway.pool.request({ path, method: "GET", headers: { authorization: `Bearer ${token}` } });
  const { items } = (await answer.body.json()) as { items: { timings: Record<string, number> }[] };
  const at = (name: string): string => p50(items.map(({ timings }) => timings[name] ?? 0)).toFixed(2);
  return `in the gateway p50: read ${at("read")}, plan ${at("plan")}, upstream ${at("upstream")}, answer ${at("answer")} ms`;
}

async function perSecond(part: Part, atOnce: number, ms: number, make: () => Asked) {
  let done = 0;
  const from = performance.now();
  const worker = async (): Promise<void> => {
    while (performance.now() - from < ms) {
      const [body, headers] = make();
      await post(part, body, headers);
      done++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return (done * 1000) / (performance.now() - from);
}

function added(
  name: string,
  { direct, relay, gateway, processor, relayProcessor }: Sample,
  limits: { p50: number; p99: number },
): void {
  const at = (q: typeof p50): number => q(gateway) - q(direct);
  say(`${name}, added p50`, at(p50), " ms", `<= ${limits.p50} ms`, at(p50) <= limits.p50);
  say(`${name}, added p99`, at(p99), " ms", `<= ${limits.p99} ms`, at(p99) <= limits.p99);
  console.log(
    `     direct p50 ${p50(direct).toFixed(2)} p99 ${p99(direct).toFixed(2)}, relay adds ${(p50(relay) - p50(direct)).toFixed(2)} and ${(p99(relay) - p99(direct)).toFixed(2)} ms; over the relay p10 ${(quantile(gateway, 0.1) - quantile(relay, 0.1)).toFixed(2)} ms; processor time of the main thread ${processor.toFixed(2)} ms a request, the relay's ${relayProcessor.toFixed(2)}`,
  );
}

async function unmanaged(ways: Ways): Promise<void> {
  const make = (): Asked => [SMALL, UNMANAGED];
  await byTurns(ways, 300, make);
  added("X118 unmanaged 2 KB", await byTurns(ways, 2000, make), { p50: 2, p99: 10 });
  const rates = { relay: 0, gateway: 0 };
  for (let n = 0; n < 4; n++) {
    rates.relay = Math.max(rates.relay, await perSecond(ways.relay, 32, 1500, make));
    rates.gateway = Math.max(rates.gateway, await perSecond(ways.gateway, 32, 1500, make));
  }
  const share = rates.gateway / rates.relay;
  say("X118 requests a second", rates.gateway, "/s", ">= 1000", rates.gateway >= 1000);
  say(`X118 of the relay's ${rates.relay.toFixed(0)}/s`, share, "", ">= 0.7", share >= 0.7);
  console.log(`     RSS of the relay: ${rssMb(ways.relay.pid).toFixed(0)} MB`);
  say("X118 RSS", rssMb(ways.gateway.pid), " MB", "< 300 MB", rssMb(ways.gateway.pid) < 300);
}

/** Conversations that go on: each request has one more turn than the one before. */
function growing(bytes: number, chars: number, turns: number): () => Asked {
  let talk = new Conversation("");
  let made = 0;
  return () => {
    if (made++ % turns === 0) talk = new Conversation(`g${bytes}-${made}-${Math.random()}`).grow(bytes, chars);
    else talk.turn(chars);
    return [talk.body(), talk.headers];
  };
}

const withoutWait = ([body, { "x-bench-wait": _, ...headers }]: Asked): Asked => [body, headers];

async function small(ways: Ways): Promise<void> {
  const make = growing(1500, 60, 10);
  await perSecond(ways.gateway, 4, 15_000, () => withoutWait(make()));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const sample = await byTurns(ways, 1500, make);
  added("managed, small", sample, { p50: 2, p99: 10 });
  const over = p50(sample.gateway) - p50(sample.relay);
  say("N33 managed, small, over the relay p50", over, " ms", "<= 2 ms", over <= 2);
  console.log(`     ${await stages(ways)}`);
}

async function middle(ways: Ways): Promise<void> {
  const make = growing(100_000, 2000, 20);
  await byTurns(ways, 60, make);
  const sample = await byTurns(ways, 300, make);
  added("X119 managed 100 KB, nothing to do", sample, { p50: 8, p99: 40 });
  console.log(`     ${await stages(ways)}`);
  const json = jsonMs(make()[0]);
  const times = (p50(sample.gateway) - p50(sample.direct)) / json;
  say(`N33 X119 in JSON work of ${json.toFixed(2)} ms`, times, " x", "<= 4 x", times <= 4);
  const over = (p50(sample.gateway) - p50(sample.relay)) / json;
  console.log(`     over the relay: ${over.toFixed(2)} x`);
  const talks = Array.from({ length: 16 }, () => growing(100_000, 2000, 20));
  let next = 0;
  const rate = await perSecond(ways.gateway, 16, 5000, () => withoutWait((talks[next++ % 16] as () => Asked)()));
  say("X119 requests a second", rate, "/s", ">= 150", rate >= 150);
}

/** X121: a body beyond the window that nobody has seen before; all of it is stored and cut before it goes on. */
async function unseen({ direct, gateway }: Ways): Promise<void> {
  const times: number[] = [];
  let body = "";
  for (let n = 0; n < 5; n++) {
    const talk = new Conversation(`unseen${n}`).grow(1_500_000, 4000);
    body = talk.body();
    const bare = (await post(direct, body, talk.headers)).ms;
    times.push((await post(gateway, body, talk.headers)).ms - bare);
  }
  const ms = p50(times);
  say(
    `X121 1.5 MB never seen before (JSON work ${jsonMs(body).toFixed(1)} ms), added p50`,
    ms,
    " ms",
    "<= 500 ms",
    ms <= 500,
  );
}

/** How long anybody else waits meanwhile: a look at the gateway's health every few milliseconds. */
function lagOf({ pool }: Gateway): () => Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const from = performance.now();
      await (await pool.request({ path: "/healthz", method: "GET" })).body.text();
      times.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return async () => {
    isOver = true;
    await looking;
    return times;
  };
}

type BigSample = { gateway: number[]; relay: number[]; direct: number[]; processor: number[] };

/** A megabyte that was seen before: the request at which it is cut, tool rounds behind it, and new prompts, which are searched for. */
async function big(ways: Ways): Promise<void> {
  const samples = { cut: bigSample(), round: bigSample(), prompt: bigSample() };
  const lags: number[] = [];
  let json = 0;
  for (let n = 0; n < 8; n++) {
    // Looking costs the gateway time of its own: processor time is that of the conversations without it.
    const lag = n % 2 === 1 ? lagOf(ways.gateway) : undefined;
    json = await bigConversation(ways, n, samples, lag === undefined);
    lags.push(...((await lag?.()) ?? []));
  }
  say("X120 event-loop lag meanwhile, p99", p99(lags), " ms", "< 50 ms", p99(lags) < 50);
  const titles: Record<keyof typeof samples, [string, number]> = {
    cut: ["N33 X120 1 MB at a cut", 8],
    round: ["N33 X120 1 MB inside an epoch", 3],
    prompt: ["1 MB inside an epoch, a new prompt and so a search", 8],
  };
  for (const name of ["cut", "round", "prompt"] as const) {
    const [title, most] = titles[name];
    const { gateway: ours, relay, direct: theirs, processor } = samples[name];
    const ms = p50(ours) - p50(theirs);
    const bare = p50(relay) - p50(theirs);
    say(
      `${title} (${ours.length} requests), added p50 ${ms.toFixed(1)} ms, in JSON work of ${json.toFixed(2)} ms`,
      ms / json,
      " x",
      `<= ${most} x`,
      ms / json <= most,
    );
    console.log(
      `     p10 ${quantile(ours, 0.1).toFixed(1)}, p99 ${p99(ours).toFixed(1)} ms, direct p50 ${p50(theirs).toFixed(1)} ms, the relay adds ${bare.toFixed(1)} ms, ${(bare / json).toFixed(2)} x; processor time of the main thread p50 ${p50(processor).toFixed(1)} ms, ${(p50(processor) / json).toFixed(2)} x the JSON work`,
    );
  }
}

const bigSample = (): BigSample => ({ gateway: [], relay: [], direct: [], processor: [] });

async function bigConversation(
  { direct, relay, gateway }: Ways,
  n: number,
  samples: Record<"cut" | "round" | "prompt", BigSample>,
  isQuiet: boolean,
): Promise<number> {
  const talk = new Conversation(`big${n}`).grow(960_000, 4000);
  let before = (await post(gateway, talk.body(), talk.headers)).headers["x-everlong-epoch"];
  await new Promise((resolve) => setTimeout(resolve, 1500)); // stored off the request path
  for (let more = 0; more < 36; more++) {
    const asks = before === "0" || more % 3 === 0;
    const body = (asks ? talk.turn(4000) : talk.round(4000)).body();
    const from = processorMs(gateway.pid);
    const told = await post(gateway, body, talk.headers);
    const processor = processorMs(gateway.pid) - from;
    const isCut = told.headers["x-everlong-epoch"] !== before;
    before = told.headers["x-everlong-epoch"];
    if (before === "0" && !isCut) continue;
    const sample = samples[isCut ? "cut" : asks ? "prompt" : "round"];
    sample.gateway.push(told.ms);
    sample.relay.push((await post(relay, body, talk.headers)).ms);
    sample.direct.push((await post(direct, body, talk.headers)).ms);
    if (isQuiet) sample.processor.push(processor);
  }
  return jsonMs(talk.body());
}

/** N33: 20,000 requests of many lanes, and what the process holds afterwards. */
async function many({ gateway }: Ways): Promise<void> {
  const make = growing(1500, 60, 10);
  const worker = async (): Promise<void> => {
    for (let n = 0; n < 1250; n++) {
      const [body, headers] = withoutWait(make());
      await post(gateway, body, headers);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  const rss = rssMb(gateway.pid);
  say("N33 RSS after 20,000 managed requests", rss, " MB", "< 300 MB", rss < 300);
  const before = failedRequests();
  await lanesAlive(gateway);
  say("10,000 lanes alive: RSS afterwards", rssMb(gateway.pid), " MB", "< 300 MB", rssMb(gateway.pid) < 300);
  say("10,000 lanes alive: requests that failed", failedRequests() - before, "", "0", failedRequests() === before);
}

async function lanesAlive(gateway: Gateway): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < 10_000) {
      const talk = new Conversation(`alive${next++}`).prompt();
      const [body, headers] = withoutWait([talk.body(), talk.headers]);
      await post(gateway, body, headers);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

async function oneStream({ pool }: Part, body: string, headers: Record<string, string>): Promise<[number, number]> {
  const from = performance.now();
  const answer = await pool.request({
    path: "/v1/chat/completions",
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer sk-bench",
      "x-bench-stream": "1",
      ...headers,
    },
    body,
  });
  let first = 0;
  let bytes = 0;
  for await (const chunk of answer.body) {
    first ||= performance.now() - from;
    bytes += (chunk as Buffer).length;
  }
  if (answer.statusCode !== 200 || bytes < 500)
    throw new Error(`a stream ended with ${answer.statusCode}, ${bytes} bytes`);
  return [first, performance.now() - from];
}

async function streams({ direct, relay, gateway }: Ways): Promise<void> {
  const round = async (part: Part, name: string) => {
    const all = await Promise.all(
      Array.from({ length: 500 }, (_, n) => {
        const talk = new Conversation(`s${name}${n}`).grow(4000, 500);
        return oneStream(part, talk.body(), talk.headers);
      }),
    );
    return { first: all.map(([first]) => first), total: all.map(([, total]) => total) };
  };
  for (const part of [direct, relay, gateway]) await round(part, "w");
  const theirs = await round(direct, "d");
  const from = [processorMs(relay.pid), processorMs(gateway.pid)] as const;
  const bare = await round(relay, "r");
  const ours = await round(gateway, "g");
  const ratio = p50(ours.total) / p50(theirs.total);
  say("N33 X122 500 streams at once, time of one p50 / direct", ratio, " x", "all complete; <= 1.3 x", ratio <= 1.3);
  const late = quantile(ours.first, 0.95) - 1.05 * quantile(theirs.first, 0.95);
  say("X122 first byte p95 beyond 1.05 x direct", late, " ms", "<= 5 ms", late <= 5);
  console.log(
    `     the relay's time of one / direct ${(p50(bare.total) / p50(theirs.total)).toFixed(2)} x; processor time of the main thread a stream: relay ${((processorMs(relay.pid) - from[0]) / 500).toFixed(2)}, gateway ${((processorMs(gateway.pid) - from[1]) / 500).toFixed(2)} ms`,
  );
  console.log(
    `     first byte p50: direct ${p50(theirs.first).toFixed(0)}, relay ${p50(bare.first).toFixed(0)}, gateway ${p50(ours.first).toFixed(0)} ms; total p50: ${p50(theirs.total).toFixed(0)}, ${p50(bare.total).toFixed(0)}, ${p50(ours.total).toFixed(0)} ms`,
  );
}

const WANTED = process.env["EVERLONG_BENCH_PARTS"]?.split(",");

export async function bench(): Promise<void> {
  const direct = await startPart("upstream");
  const relay = await startPart("relay", direct.url);
  // A megabyte is about 300,000 tokens of this text: the mark lies just above what the first request brings.
  const gateway = await startGateway(direct.url, { EVERLONG_PROXY_WINDOWS: "*: 400000" });
  const ways = { direct, relay, gateway };
  try {
    for (const [name, part] of Object.entries({ unmanaged, small, middle, unseen, big, prefixes, streams, many })) {
      if (WANTED && !WANTED.includes(name)) continue;
      await part(ways);
      console.log(`     RSS of the gateway after ${name}: ${rssMb(gateway.pid).toFixed(0)} MB`);
    }
    say("requests that failed", failedRequests(), "", "0", failedRequests() === 0);
  } finally {
    await Promise.all([gateway.stop(), relay.stop("SIGKILL"), direct.stop("SIGKILL")]);
    removeHome(gateway);
  }
}
