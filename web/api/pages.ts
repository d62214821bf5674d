// A long list, a page at a time: more when the reader nears its end, the head again when something new happened.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiResult, CallProblem } from "./call.ts";
import { type EventStarts, useLive } from "./live.ts";

type ListAnswer = { items: readonly unknown[]; next?: string | null | undefined };
type RowOf<A extends ListAnswer> = A["items"][number];
type Load<A extends ListAnswer> = (
  page: { after?: string; limit: number },
  signal: AbortSignal,
) => Promise<ApiResult<A>>;

export type PagedList<A extends ListAnswer> = {
  items: readonly RowOf<A>[];
  /** The answer with the list's head, for what stands beside its rows. */
  head?: A;
  problem?: CallProblem;
  loading: boolean;
  hasMore: boolean;
  more(): void;
  /** Everything to the end, or to a bound that a browser can hold. */
  all(): Promise<void>;
  reload(): void;
};

const FIRST = 100;
const MORE = 500;
/** Beyond so many rows a search helps more than scrolling. */
export const MOST_ROWS = 20_000;

type PagesState<A extends ListAnswer> = {
  key: string;
  items: readonly RowOf<A>[];
  next?: string | undefined;
  head?: A;
  problem?: CallProblem;
  loading: boolean;
};
const empty = <A extends ListAnswer>(key: string): PagesState<A> => ({ key, items: [], loading: true });

/** `key` names the question; `id` tells rows apart, so that none is shown twice. */
export function usePages<A extends ListAnswer>(
  key: string,
  load: Load<A>,
  id: (row: RowOf<A>) => string,
  live: EventStarts = [],
): PagedList<A> {
  const [state, setState] = useState<PagesState<A>>(empty(key));
  const latest = useRef(state);
  latest.current = state;
  const parts = useRef({ load, id, abort: new AbortController(), reading: false });
  parts.current.load = load;
  parts.current.id = id;
  const put = (next: PagesState<A>): void => {
    latest.current = next;
    setState(next);
  };

  const head = async (isNew: boolean): Promise<void> => {
    const { abort } = parts.current;
    if (isNew) put(empty(key));
    const answer = await parts.current.load({ limit: FIRST }, abort.signal);
    if (abort.signal.aborted) return;
    const now = latest.current;
    if (!answer.ok) return put({ ...now, problem: answer.error, loading: false });
    const { items, next } = answer.value;
    const ids = new Set(items.map(parts.current.id));
    const rest = isNew ? [] : now.items.filter((row) => !ids.has(parts.current.id(row)));
    // More new rows than a page: what is between them and the old ones is read again from here on.
    const joins = rest.length > 0 && rest.length < now.items.length;
    const { problem: _over, ...held } = now;
    put({
      ...held,
      key,
      items: joins ? [...items, ...rest] : [...items],
      next: joins ? now.next : (next ?? undefined),
      head: answer.value,
      loading: false,
    });
  };

  const more = async (): Promise<boolean> => {
    const { next, items } = latest.current;
    if (next === undefined || parts.current.reading || items.length >= MOST_ROWS) return false;
    parts.current.reading = true;
    const { abort } = parts.current;
    const answer = await parts.current.load({ after: next, limit: MORE }, abort.signal);
    parts.current.reading = false;
    if (abort.signal.aborted) return false;
    const now = latest.current;
    if (!answer.ok) {
      put({ ...now, problem: answer.error });
      return false;
    }
    const ids = new Set(now.items.map(parts.current.id));
    const added = answer.value.items.filter((row) => !ids.has(parts.current.id(row)));
    put({ ...now, items: [...now.items, ...added], next: answer.value.next ?? undefined });
    return true;
  };

  useEffect(() => {
    parts.current.abort = new AbortController();
    parts.current.reading = false;
    void head(true);
    return () => parts.current.abort.abort();
  }, [key]);
  useLive(live, () => void head(false));

  const shown = state.key === key ? state : empty<A>(key);
  return {
    items: shown.items,
    ...(shown.head === undefined ? {} : { head: shown.head }),
    ...(shown.problem === undefined ? {} : { problem: shown.problem }),
    loading: shown.loading,
    hasMore: shown.next !== undefined,
    more: () => void more(),
    all: async () => {
      while (await more());
    },
    reload: () => void head(false),
  };
}
