// One answer on screen: loading, there, or failed; what was there stays while it is asked for again.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiResult, CallProblem } from "./call.ts";
import { type EventStarts, useLive } from "./live.ts";

export type Resource<T> = {
  value?: T;
  problem?: CallProblem;
  loading: boolean;
  reload(): void;
  /** Shows another value at once, such as the one that a change answered with. */
  put(value: T): void;
};
type LoadState<T> = { key: string; value?: T; problem?: CallProblem; loading: boolean };

/** `key` names the question: another key forgets the old answer. `live`: events after which it is asked again. */
export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<ApiResult<T>>,
  live: EventStarts = [],
): Resource<T> {
  const [state, setState] = useState<LoadState<T>>({ key, loading: true });
  const [round, setRound] = useState(0);
  const loader = useRef(load);
  loader.current = load;
  useEffect(() => {
    const abort = new AbortController();
    setState((now) => (now.key === key ? { ...now, loading: true } : { key, loading: true }));
    void loader.current(abort.signal).then((answer) => {
      if (abort.signal.aborted) return;
      setState((now) => {
        if (answer.ok) return { key, value: answer.value, loading: false };
        const { value } = now;
        return { key, problem: answer.error, loading: false, ...(value === undefined ? {} : { value }) };
      });
    });
    return () => abort.abort();
  }, [key, round]);
  const reload = (): void => setRound((now) => now + 1);
  useLive(live, reload);
  const current: LoadState<T> = state.key === key ? state : { key, loading: true };
  return { ...current, reload, put: (value) => setState({ key, value, loading: false }) };
}
