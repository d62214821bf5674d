// `graph test`: whether a Graphiti server answers, and with --smoke whether it stores and deletes what it takes.
import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "../../base/clock.ts";
import { isRecord } from "../../base/json.ts";
import type { GraphitiClient } from "./client.ts";
import type { GraphitiMessage } from "./outbox-row.ts";

export type CheckStep = { step: string; outcome: "ok" | "fail" | "skipped"; ms: number; detail: string };
type Finding = Pick<CheckStep, "outcome" | "detail">;

const POLL_MS = 500;
const LOOK_BACK = 100;

export class GraphitiCheck {
  readonly steps: CheckStep[] = [];
  readonly #client: GraphitiClient;
  readonly #clock: Clock;

  constructor(client: GraphitiClient, clock: Clock = systemClock) {
    this.#client = client;
    this.#clock = clock;
  }

  add(step: string, finding: Finding): void {
    this.steps.push({ step, ms: 0, ...finding });
  }

  get isGood(): boolean {
    return this.steps.every(({ outcome }) => outcome !== "fail");
  }

  /** Reads alone; no text of a conversation is sent. `ours`: the id that this group has here. */
  async basic(group: { scope: string; key: string; ours: string }, signal: AbortSignal): Promise<void> {
    const client = this.#client;
    await this.#step("healthcheck", async () => {
      const answer = await client.ask("GET", "/healthcheck", signal);
      if (answer.ok) return good("healthy");
      const hint = answer.error.status === 401 ? " Set memory.graphiti.token." : "";
      return bad(`${answer.error.message}${hint}`);
    });
    await this.#step("openapi", async () => {
      const answer = await client.ask("GET", "/openapi.json", signal);
      return answer.ok
        ? good("described")
        : skipped(answer.error.status === 404 ? "not offered" : answer.error.message);
    });
    await this.#step("groups/resolve", async () => {
      const answer = await client.ask("POST", "/groups/resolve", signal, {
        body: { scope: group.scope, key: group.key },
      });
      if (!answer.ok) return skipped(answer.error.status === 404 ? "not offered" : answer.error.message);
      const id = isRecord(answer.value.body) ? answer.value.body["group_id"] : undefined;
      return id === group.ours
        ? good("same group ids")
        : bad(`it names the group ${String(id)}, we name it ${group.ours}`);
    });
    await this.#step("database", async () => {
      const answer = await client.ask("GET", "/entity-edge/not_a_real_uuid", signal);
      if (!answer.ok && answer.error.status === 404) return good("answers");
      return bad(answer.ok ? "it knows an edge that does not exist" : answer.error.message);
    });
  }

  /** One message into a group of its own, which is deleted again, whatever happens. */
  async smoke(waitMs: number, signal: AbortSignal): Promise<void> {
    const group = `everlong_smoke_${Date.parse(this.#clock.now())}_${randomBytes(4).toString("hex")}`;
    const message: GraphitiMessage = {
      content: "A test message of Everlong; it is deleted at once.",
      name: "everlong.smoke",
      role_type: "system",
      role: "everlong",
      timestamp: this.#clock.now(),
      source_description: "everlong:smoke",
    };
    await this.#step("store a message", async () => {
      const answer = await this.#client.add(group, [message], group, signal);
      return answer.ok ? good(`accepted in group ${group}`) : bad(answer.error.message);
    });
    await this.#step("read it back", () => this.#readBack(group, waitMs, signal));
    // The cleaning up is done even after Ctrl+C.
    await this.#step("clean up", () => this.#cleanUp(group, new AbortController().signal));
  }

  async #readBack(group: string, waitMs: number, signal: AbortSignal): Promise<Finding> {
    const end = this.#clock.monotonic() + waitMs;
    do {
      const episodes = await this.#client.episodes(group, LOOK_BACK, signal);
      if (episodes.ok && episodes.value.length > 0) return good("stored");
    } while (this.#clock.monotonic() < end && (await this.#clock.sleep(POLL_MS, signal)));
    return bad("accepted, not stored");
  }

  async #cleanUp(group: string, signal: AbortSignal): Promise<Finding> {
    const client = this.#client;
    const deleted = await client.ask("DELETE", `/group/${group}`, signal);
    const left = await client.episodes(group, LOOK_BACK, signal);
    for (const { uuid } of left.ok ? left.value : [])
      await client.ask("DELETE", `/episode/${encodeURIComponent(uuid)}`, signal);
    const remaining = left.ok && left.value.length === 0 ? left : await client.episodes(group, LOOK_BACK, signal);
    const facts = await client.search({ group, query: "test message", maxFacts: 10 }, signal);
    if (!remaining.ok) return bad(`nobody can say whether group ${group} is empty: ${remaining.error.message}`);
    if (remaining.value.length > 0) return bad(`${remaining.value.length} episodes remain in group ${group}`);
    if (facts.ok && facts.value.length > 0) return bad(`${facts.value.length} facts remain in group ${group}`);
    if (left.ok && left.value.length > 0)
      return bad(
        `deleting the group left ${left.value.length} episodes in group ${group}; they were deleted one by one`,
      );
    return deleted.ok ? good("nothing remains") : bad(deleted.error.message);
  }

  async #step(step: string, work: () => Promise<Finding>): Promise<void> {
    const started = this.#clock.monotonic();
    const finding = await work();
    this.steps.push({ step, ms: Math.round(this.#clock.monotonic() - started), ...finding });
  }
}

const good = (detail: string): Finding => ({ outcome: "ok", detail });
const bad = (detail: string): Finding => ({ outcome: "fail", detail });
const skipped = (detail: string): Finding => ({ outcome: "skipped", detail });
