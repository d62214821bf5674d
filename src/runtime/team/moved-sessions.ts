// What proxied sessions have beside their rows, when they move: TODO, pinned text, summary, spec and log; and their place in the index.
import { ok, type Result } from "../../base/result.ts";
import { addItems } from "../../memory/recall/store/change.ts";
import type { SessionFileName } from "../../proxy/files/contract.ts";
import { specLine } from "../../proxy/state/spec-file.ts";
import type { ProxyStore } from "../../proxy/store/handle.ts";
import { listSessions, reindexItems } from "../../proxy/store/list.ts";
import { type ProxySession, sessionById } from "../../proxy/store/session.ts";
import type { Crossing } from "../../store/copy/table.ts";
import type { Fault } from "../../store/fault.ts";
import type { RowStore, Unit } from "../../store/unit.ts";
import { nameThere } from "./moved-proxied.ts";

const PAGE = 100;
type Sides = {
  from: ProxyStore;
  to: ProxyStore;
  crossing: Pick<Crossing, "home" | "identity">;
  /** The member whose sessions alone are taken from a team's. */
  owner?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** After their rows. What is there stays; a second run adds nothing. */
export async function moveSessionFiles(sides: Sides): Promise<Result<void, Fault>> {
  const { from, to, crossing, owner, signal } = sides;
  for (let after: string | undefined; !signal?.aborted; ) {
    const page = await listSessions(from, { limit: PAGE, ...(owner ? { owner } : {}), ...(after ? { after } : {}) });
    if (!page.ok) return page;
    for (const session of page.value.sessions) {
      const there = await sessionById(to, nameThere(session.id, crossing));
      if (!there.ok) return there;
      const moved = there.value ? await moveFiles(from, session, to, there.value) : ok(undefined);
      if (!moved.ok) return moved;
    }
    after = page.value.next;
    if (after === undefined) break;
  }
  return ok(undefined);
}

async function moveFiles(
  from: ProxyStore,
  session: ProxySession,
  to: ProxyStore,
  there: ProxySession,
): Promise<Result<void, Fault>> {
  const { identity, family, signal, createdAt } = there;
  const claimed = to.files.claim(there.id, { key: null, identity, family, signal, createdAt });
  if (!claimed.ok) return claimed;
  const texts = await from.files.texts(session);
  if (!texts.ok) return texts;
  const { pinned, summary, todo, spec } = texts.value;
  for (const [name, text] of Object.entries({ pinned, summary, todo, spec: spec ? specLine(spec) : "" })) {
    if (text === "") continue;
    const change = await to.files.change<Fault>(there, name as SessionFileName, (now) => ok(now || text));
    if (!change.ok) return change;
  }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await from.files.log(session, { after, limit: PAGE });
    if (!page.ok) return page;
    // A long text stands with its item, and is put aside there once more if it has to be.
    const lines = page.value.events.map(({ file: _file, lane: _lane, ...line }) => line);
    const added = await to.files.append(there, () => unitOf(lines), nothing);
    if (!added.ok) return added;
    after = page.value.next;
  }
  return ok(undefined);
}

function* nothing(): Unit<void> {}
function* unitOf<T>(value: T): Unit<T> {
  yield* nothing();
  return value;
}

/** Items came past their writer: those of one person into the index. */
export async function indexMovedItems(store: RowStore, identity: string): Promise<Result<void, Fault>> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const last = await store.write(function* () {
      const items = yield* reindexItems(from, PAGE, identity);
      yield* addItems(items, { embed: "as noted" });
      return items.at(-1)?.seq;
    });
    if (!last.ok) return last;
    after = last.value;
  }
  return ok(undefined);
}
