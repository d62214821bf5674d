// What a node counts, as Prometheus reads it: by route and never by user.
import type { GatewayEvent } from "../../schema/event/gateway.ts";

type PoolUse = { total: number; idle: number; waiting: number };
/** What waits to be done in the background, by its kind; none where the database could not be asked. */
export type QueueDepths = Readonly<Record<string, number>>;

export class NodeMetrics {
  readonly #requests = new Map<string, number>();
  readonly #sums = new Map<string, number>();

  request(route: string, status: number): void {
    const key = `route="${route}",status="${Math.floor(status / 100)}xx"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }

  /** Somebody named a tenant, a user or a scope that is not theirs. */
  denied(): void {
    this.#add("denied_total", 1);
  }

  recalled(ms: number): void {
    this.#add("recall_seconds_count", 1);
    this.#add("recall_seconds_sum", ms / 1000);
  }

  see({ type, data }: GatewayEvent): void {
    if (type === "recall.completed") this.recalled(data.durationMs);
    if (type !== "proxy.request") return;
    this.#add("added_seconds_count", 1);
    this.#add("added_seconds_sum", (data.addedMs ?? 0) / 1000);
    if (data.action === "trim") this.#add("cuts_total", 1);
    if (data.recallLost !== undefined) this.#add("recall_lost_total", 1);
  }

  text(pool: PoolUse, queues: QueueDepths): string {
    const sum = (name: string): number => this.#sums.get(name) ?? 0;
    const lines = [
      "# TYPE everlong_requests_total counter",
      ...[...this.#requests].map(([labels, count]) => `everlong_requests_total{${labels}} ${count}`),
      ...["cuts_total", "recall_lost_total", "denied_total"].flatMap((name) => [
        `# TYPE everlong_${name} counter`,
        `everlong_${name} ${sum(name)}`,
      ]),
      ...["added_seconds", "recall_seconds"].flatMap((name) => [
        `# TYPE everlong_${name} summary`,
        `everlong_${name}_sum ${sum(`${name}_sum`)}`,
        `everlong_${name}_count ${sum(`${name}_count`)}`,
      ]),
      "# TYPE everlong_queue_depth gauge",
      ...Object.entries(queues).map(([queue, depth]) => `everlong_queue_depth{queue="${queue}"} ${depth}`),
      "# TYPE everlong_pool_connections gauge",
      `everlong_pool_connections{state="busy"} ${pool.total - pool.idle}`,
      `everlong_pool_connections{state="idle"} ${pool.idle}`,
      "# TYPE everlong_pool_waiting gauge",
      `everlong_pool_waiting ${pool.waiting}`,
    ];
    return `${lines.join("\n")}\n`;
  }

  #add(name: string, value: number): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + value);
  }
}
