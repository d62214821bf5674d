// The events of one session, from the first on, and new ones as the log grows: none twice, none out of order.
import { useEffect, useRef, useState } from "preact/hooks";
import { type SessionEvent, sessionEventList } from "../../../src/schema/api/session.ts";
import { address, type CallProblem, call } from "../../api/call.ts";
import { useLive } from "../../api/live.ts";

type EventPlace = { cursor: string; event: SessionEvent };
type EventFlow = {
  items: readonly EventPlace[];
  problem?: CallProblem;
  loading: boolean;
  hasMore: boolean;
  more(): Promise<boolean>;
  all(): Promise<void>;
  retry(): void;
};
type EventsState = {
  items: EventPlace[];
  next?: string | undefined;
  end?: string;
  problem?: CallProblem;
  loading: boolean;
};

const PAGE = 200;
const MOST = 20_000;

export function useEvents(session: string): EventFlow {
  const [state, setState] = useState<EventsState>({ items: [], loading: true });
  const latest = useRef(state);
  const reading = useRef<Promise<boolean> | undefined>(undefined);
  const abort = useRef(new AbortController());
  const put = (next: EventsState): void => {
    latest.current = next;
    setState(next);
  };

  const read = async (after: string | undefined): Promise<boolean> => {
    const { signal } = abort.current;
    const path = address(`/api/sessions/${encodeURIComponent(session)}/events`, { limit: PAGE, after });
    const page = await call(sessionEventList, path, { signal });
    if (signal.aborted) return false;
    const now = latest.current;
    if (!page.ok) {
      put({ ...now, problem: page.error, loading: false });
      return false;
    }
    const ids = new Set(now.items.map(({ event }) => event.id));
    const added = page.value.items.filter(({ event }) => !ids.has(event.id));
    const { problem: _over, ...rest } = now;
    put({
      ...rest,
      items: [...now.items, ...added],
      next: page.value.next ?? undefined,
      end: page.value.end,
      loading: false,
    });
    return true;
  };
  /** One page at a time: whoever asks meanwhile waits for the same one. */
  const once = (after: () => string | undefined | false): Promise<boolean> => {
    if (reading.current) return reading.current;
    const from = after();
    if (from === false) return Promise.resolve(false);
    reading.current = read(from).finally(() => {
      reading.current = undefined;
    });
    return reading.current;
  };
  const more = (): Promise<boolean> =>
    once(() =>
      latest.current.next === undefined || latest.current.items.length >= MOST ? false : latest.current.next,
    );

  useEffect(() => {
    abort.current = new AbortController();
    reading.current = undefined;
    put({ items: [], loading: true });
    void once(() => undefined);
    return () => abort.current.abort();
  }, [session]);
  useLive(["session.grown", "proxy.request"], () => {
    void (async () => {
      await reading.current;
      const { next, end, items } = latest.current;
      // A reader who is not at the end yet gets there by the pages between.
      if (next === undefined) await once(() => (items.length === 0 ? undefined : (end ?? items.at(-1)?.cursor)));
    })();
  });
  return {
    items: state.items,
    ...(state.problem ? { problem: state.problem } : {}),
    loading: state.loading,
    hasMore: state.next !== undefined,
    more,
    all: async () => {
      while (await more());
    },
    retry: () => void once(() => latest.current.next ?? latest.current.end),
  };
}
