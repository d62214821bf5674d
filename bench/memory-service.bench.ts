// A memory service that hangs or is not there: what it costs the turn that asks for its prompt, over its budget.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../src/base/clock.ts";
import { MemoryLoader } from "../src/memory/record/loader.ts";
import { openService } from "../src/memory/record/strategy-service.ts";
import { alternate, print, timed } from "./measure.ts";

const BUDGET_MS = 750;

export async function bench(): Promise<void> {
  const server = createServer(() => undefined); // it takes every request and never answers
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await against("a service that hangs", `http://127.0.0.1:${port}`, `<= ${BUDGET_MS} + 50 ms`);
    await against("a service that nobody runs", "http://127.0.0.1:9", "<= 50 ms");
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function against(name: string, url: string, target: string): Promise<void> {
  const place = { repository: "acme/app", user: "local" };
  const strategy = await openService({
    url,
    timeoutMs: BUDGET_MS,
    place,
    userScope: true,
    trusted: true,
    hasConsent: async () => true,
    now: () => systemClock.now(),
  });
  if (!("kind" in strategy)) throw new Error(strategy.message);
  const load = (): Promise<number> => {
    const loader = new MemoryLoader({
      client: async () => ({ type: "ready", strategy }),
      place: () => place,
      scopes: () => ["repository", "user"],
      bound: () => ({ maxTokens: 2000, maxRecords: 60 }),
      timeoutMs: () => BUDGET_MS,
      clock: systemClock,
    });
    return timed(() => loader.load());
  };
  await load(); // warm
  print(name, await alternate(5, () => timed(() => systemClock.sleep(BUDGET_MS)), load), target);
}
