// The facts on screen: of a search, and of every entity that was opened; ended ones too, for the time slider.
import { useEffect, useRef, useState } from "preact/hooks";
import { type EntityShape, entityView, type FactShape, factList } from "../../../src/schema/api/graph.ts";
import { address, type CallProblem, call } from "../../api/call.ts";
import { useLive } from "../../api/live.ts";

type LoadedFacts = {
  facts: readonly FactShape[];
  entities: ReadonlyMap<string, EntityShape>;
  /** How many facts of opened entities were not asked for. */
  more: number;
  loading: boolean;
  problem?: CallProblem;
  reload(): void;
};
type FactsState = Omit<LoadedFacts, "reload">;
const LIMIT = 200;

export function useFacts(q: string | undefined, opened: readonly string[], group: string | undefined): LoadedFacts {
  const [state, setState] = useState<FactsState>({ facts: [], entities: new Map(), more: 0, loading: true });
  const [round, setRound] = useState(0);
  const key = JSON.stringify([q, opened, group]);
  const before = useRef(key);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const isSame = before.current === key;
    before.current = key;
    setState((now) =>
      isSame ? { ...now, loading: true } : { ...now, loading: true, facts: opened.length > 0 ? now.facts : [] },
    );
    void (async () => {
      const searched = q
        ? [call(factList, address("/api/graph/search", { query: q, group, expired: "true", limit: LIMIT }), { signal })]
        : [];
      const viewed = opened.map((uuid) =>
        call(entityView, address(`/api/graph/entities/${encodeURIComponent(uuid)}`, { limit: LIMIT }), { signal }),
      );
      const [searches, views] = await Promise.all([Promise.all(searched), Promise.all(viewed)]);
      if (signal.aborted) return;
      const problem = [...searches, ...views].flatMap((one) => (one.ok ? [] : [one.error]))[0];
      const facts = new Map<string, FactShape>();
      const entities = new Map<string, EntityShape>();
      let more = 0;
      for (const one of searches) if (one.ok) for (const fact of one.value.facts) facts.set(fact.uuid, fact);
      for (const one of views) {
        if (!one.ok) continue;
        entities.set(one.value.entity.uuid, one.value.entity);
        for (const fact of one.value.facts) facts.set(fact.uuid, fact);
        more += Math.max(0, (one.value.total ?? 0) - one.value.facts.length);
      }
      setState({
        facts: [...facts.values()],
        entities,
        more,
        loading: false,
        ...(problem && facts.size === 0 ? { problem } : {}),
      });
    })();
    return () => abort.abort();
  }, [key, round]);
  useLive(["graph"], () => setRound((now) => now + 1));
  return { ...state, reload: () => setRound((now) => now + 1) };
}
