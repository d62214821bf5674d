// How the gateway does: what failed softly, how often, and whether it still does.
import type { GatewayEvent } from "../../schema/event/gateway.ts";
import type { Health, HealthCheck } from "../../server/contract.ts";

/** A failure counts as present for this long. */
const PRESENT_MS = 60_000;

export class GatewayHealth {
  readonly #monotonic: () => number;
  readonly #record: (part: string, code: string) => void;
  readonly #failed = new Map<string, { code: string; count: number; at: number }>();
  #requests = 0;

  /** `record` is called where a part begins to fail, not for each request that meets it. */
  constructor(monotonic: () => number, record: (part: string, code: string) => void = () => undefined) {
    this.#monotonic = monotonic;
    this.#record = record;
  }

  soft(part: string, code: string): void {
    const before = this.#failed.get(part);
    const at = this.#monotonic();
    if (before?.code !== code || at - before.at >= PRESENT_MS) this.#record(part, code);
    this.#failed.set(part, { code, count: (before?.count ?? 0) + 1, at });
  }

  see({ type, data }: GatewayEvent): void {
    if (type === "proxy.request") this.#requests++;
    if (type === "proxy.soft_failure") this.soft(data.part, data.code ?? "failed");
  }

  /** `store`: what is wrong with the store's file just now. */
  now(store?: string): Health {
    const now = this.#monotonic();
    const checks = [...this.#failed].map(([name, { code, at, count }]): HealthCheck => {
      const present = now - at < PRESENT_MS;
      return { name, status: present ? "degraded" : "ok", finding: `${code}, ${count} in all` };
    });
    if (store !== undefined) checks.push({ name: "store file", status: "degraded", finding: store });
    const counts = [...this.#failed].map(([part, { count }]): [string, number] => [`softFailures.${part}`, count]);
    return { checks, counters: { requests: this.#requests, ...Object.fromEntries(counts) } };
  }
}
