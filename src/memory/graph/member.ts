// The graph as one of many people sees it: a session's or a person's group belongs to whoever first wrote into it, the others to all.
import { optional } from "../../base/optional.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import type { ItemPlace } from "../recall/item.ts";
import { covers, type MemberReach } from "../record/reach.ts";
import type { AcceptRequest, GraphStore } from "./contract.ts";

type Outcome<T> = Promise<Result<T, Fault>>;
/** One of many people: `identity` is theirs among all tenants. */
type GraphViewer = { identity: string; reach: MemberReach };
export type OwnedThing = { type: "group" | "fact" | "episode"; id: string };

const PRIVATE = /^(?:graphiti|copilotchat)_(?:session|user)_/;

/** Where recall finds a group's facts: those of a private one only for its owner. */
const placeFor = (group: string, { identity, reach: { user } }: GraphViewer): ItemPlace | undefined =>
  PRIVATE.test(group) ? { level: "session", identity, user, group } : undefined;

/** Whether it belongs to somebody else; what is not there belongs to nobody. */
export async function isOthers(store: GraphStore, viewer: GraphViewer, { type, id }: OwnedThing): Outcome<boolean> {
  if (type === "group") return othersAmong(store, viewer, [id], (others) => others.size > 0);
  const rows = type === "fact" ? await store.facts({ ids: [id] }) : await store.episodes({ ids: [id] });
  if (!rows.ok) return rows;
  const groups = rows.value.filter(({ uuid }) => uuid === id).map(({ group }) => group);
  return othersAmong(store, viewer, groups, (others) => others.size > 0);
}

/** Others' groups are not there. Whether something may be changed is asked with `isOthers` before. */
export function graphOfMember(store: GraphStore, viewer: GraphViewer): GraphStore {
  /** Named groups, or all that may be seen where some may not. */
  const seen = async (groups: readonly string[] | undefined): Outcome<readonly string[] | undefined> =>
    othersAmong(store, viewer, groups, (others, all) =>
      groups || others.size > 0 ? (groups ?? all).filter((group) => !others.has(group)) : undefined,
    );
  const own = <T extends { group: string }>(rows: readonly T[]): Outcome<T[]> =>
    othersAmong(store, viewer, [...new Set(rows.map(({ group }) => group))], (others) =>
      rows.filter(({ group }) => !others.has(group)),
    );
  const reading =
    <Q extends { ids?: readonly string[]; groups?: readonly string[] }, T extends { group: string }>(
      read: (query: Q) => Outcome<T[]>,
    ) =>
    async (query: Q): Outcome<T[]> => {
      if (query.ids) {
        const rows = await read(query);
        return rows.ok ? own(rows.value) : rows;
      }
      const groups = await seen(query.groups);
      return groups.ok ? read({ ...query, ...optional("groups", groups.value) }) : groups;
    };
  return {
    ...store,
    accept: (request: AcceptRequest) =>
      store.accept({ ...request, ...optional("place", placeFor(request.group, viewer) ?? request.place) }),
    async groups(query) {
      const groups = await store.groups(query);
      return groups.ok ? ok(groups.value.filter(({ place }) => isOwn(place, viewer))) : groups;
    },
    episodes: reading(store.episodes),
    facts: reading(store.facts),
    entities: reading(store.entities),
  };
}

/** A session's and a user's are theirs; a repository's belong to everybody whose token covers it. */
function isOwn(place: ItemPlace, { identity, reach }: GraphViewer): boolean {
  if (place.identity !== undefined) return place.identity === identity;
  if (place.user !== undefined) return place.user === reach.user;
  return place.repository === undefined || covers(reach, place.repository);
}

async function othersAmong<T>(
  store: GraphStore,
  viewer: GraphViewer,
  ids: readonly string[] | undefined,
  use: (others: ReadonlySet<string>, all: readonly string[]) => T,
): Outcome<T> {
  const groups = await store.groups(optional("ids", ids));
  if (!groups.ok) return groups;
  const others = groups.value.filter(({ place }) => !isOwn(place, viewer)).map(({ id }) => id);
  const all = groups.value.map(({ id }) => id);
  return ok(use(new Set(others), all));
}
