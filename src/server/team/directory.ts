// The members that a node knows: looked up by token, remembered for a moment, so that a revoked token ends soon everywhere.
import type { Clock } from "../../base/clock.ts";
import type { RowStore } from "../../store/unit.ts";
import type { Member } from "./member.ts";
import { memberOf, noteUse, tenantOfToken } from "./tokens.ts";

/** Nobody is looked up again for so long. */
const FRESH_MS = 2000;
/** Nobody waits longer than this to be known. */
const LOOK_MS = 2000;
/** W11: a look-up says no longer than this whose token it is, whether the next one fails or is late. */
const TRUSTED_MS = 4500;
/** While the database cannot be asked, a token that it knew lets requests pass as they came. */
const STALE_MS = 15 * 60_000;
/** When a token was used is written seldom: it is for people to read. */
const USE_MS = 60_000;
const MOST = 5000;

export type Lookup =
  | { type: "member"; member: Member }
  | { type: "unknown" }
  /** `last`: who it was when the database could still be asked; since then the token may have ended. */
  | { type: "unavailable"; last: Member | undefined };

type Entry = { member: Member | undefined; at: number };

export class MemberDirectory {
  readonly #store: (tenant: string) => RowStore;
  readonly #clock: Clock;
  readonly #shares: boolean;
  readonly #entries = new Map<string, Entry>();
  readonly #used = new Map<string, number>();
  /** Lookups that run: whoever shows the same token meanwhile gets the same answer. */
  readonly #running = new Map<string, Promise<Lookup>>();

  /** `shares`: members may find each other's sessions, so it is looked up who refuses. */
  constructor(store: (tenant: string) => RowStore, clock: Clock, shares = false) {
    this.#store = store;
    this.#clock = clock;
    this.#shares = shares;
  }

  /** Whether it was a member's when it was last looked up, not long ago. */
  knows(token: string): boolean {
    const entry = this.#entries.get(token);
    return entry?.member !== undefined && this.#clock.monotonic() - entry.at < STALE_MS;
  }

  async find(token: string): Promise<Lookup> {
    const tenant = tenantOfToken(token);
    if (tenant === undefined) return { type: "unknown" };
    const entry = this.#entries.get(token);
    if (entry && this.#clock.monotonic() - entry.at < FRESH_MS) return this.#answer(entry.member);
    const lookup = this.#running.get(token) ?? this.#look(tenant, token).finally(() => this.#running.delete(token));
    this.#running.set(token, lookup);
    return lookup;
  }

  async #look(tenant: string, token: string): Promise<Lookup> {
    const now = this.#clock.monotonic();
    const entry = this.#entries.get(token);
    const looked = await this.#store(tenant).read(() => memberOf(tenant, token, this.#clock.now(), this.#shares), {
      ...{ limitMs: LOOK_MS, first: true },
    });
    if (!looked.ok) {
      const ageMs = entry ? this.#clock.monotonic() - entry.at : Number.POSITIVE_INFINITY;
      if (entry && ageMs < TRUSTED_MS) return this.#answer(entry.member);
      return { type: "unavailable", last: ageMs < STALE_MS ? entry?.member : undefined };
    }
    this.#entries.delete(token); // the newest stands last, so the oldest goes first
    this.#entries.set(token, { member: looked.value, at: now });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST && oldest !== undefined) this.#entries.delete(oldest);
    return this.#answer(looked.value);
  }

  #answer(member: Member | undefined): Lookup {
    if (!member) return { type: "unknown" };
    this.#use(member);
    return { type: "member", member };
  }

  #use({ tenant, token: { id } }: Member): void {
    const now = this.#clock.monotonic();
    if (now - (this.#used.get(id) ?? Number.NEGATIVE_INFINITY) < USE_MS) return;
    this.#used.set(id, now);
    // Beside the request, which does not wait for it; a failure leaves the old time, and the next request meets it too.
    this.#store(tenant)
      .write(() => noteUse([id], this.#clock.now()), { holds: true })
      .catch(() => undefined);
  }
}
