// The refs of a request's items, as its plan needs them: at once, so they are looked up before.
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows } from "../../store/unit.ts";
import type { HistoryItem, LaneCut } from "../contract.ts";
import type { ProxyStore } from "./handle.ts";
import { read } from "./row-access.ts";
import type { ProxySession } from "./session.ts";

export const refText = (session: string, turn: number, item: number): string => `${session}:t${turn}.${item}`;

/** Refs never change and no session's number is used twice, so a ref that was looked up once is known. */
const KNOWN_REFS = 20_000;

export class ItemRefs {
  readonly #store: ProxyStore;
  readonly #session: ProxySession;
  readonly #refs = new Map<string, string>();

  constructor(store: ProxyStore, session: ProxySession) {
    this.#store = store;
    this.#session = session;
  }

  /** Undefined for what was never seen, and for what was not looked up. */
  of(own: string | undefined): string | undefined {
    return own === undefined ? undefined : this.#refs.get(own);
  }

  /** For a request that goes on with this cut. */
  async loadCut(items: readonly HistoryItem[], cut: LaneCut | undefined): Promise<Result<void, Fault>> {
    if (!cut) return ok(undefined);
    const gone = new Set(cut.dropped);
    return this.load(items.flatMap(({ id, own }) => (gone.has(id) || id in cut.shortened ? [own] : [])));
  }

  /** A store that cannot be read makes no cut, so a ref that is missing then is not needed. */
  async load(owns: Iterable<string | undefined>): Promise<Result<void, Fault>> {
    const { refs: known } = this.#store;
    const { no, id } = this.#session;
    const missing: string[] = [];
    for (const own of owns) {
      if (own === undefined || this.#refs.has(own)) continue;
      const ref = known.get(`${no} ${own}`);
      if (ref === undefined) missing.push(own);
      else this.#refs.set(own, ref);
    }
    if (missing.length === 0) return ok(undefined);
    const sql = "SELECT own, turn, item FROM proxy_item WHERE session = ? AND own IN (SELECT value FROM json_each(?))";
    const rows = await read(this.#store, () => allRows(sql, no, JSON.stringify(missing)));
    if (!rows.ok) return rows;
    if (known.size + rows.value.length > KNOWN_REFS) known.clear();
    for (const row of rows.value) {
      const ref = refText(id, Number(row["turn"]), Number(row["item"]));
      this.#refs.set(String(row["own"]), ref);
      known.set(`${no} ${String(row["own"])}`, ref);
    }
    return ok(undefined);
  }
}
