// Recall: try a search and see what it finds, why, how fast, and what an agent would get of it.

import { useState } from "preact/hooks";
import { recallResults } from "../../../src/schema/api/recall.ts";
import { call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { params, setParams } from "../../app/route.ts";
import { count, duration, plural } from "../../part/figure.tsx";
import { Choice, Field, type Option, Tabs } from "../../part/form.tsx";
import { Empty, Loaded } from "../../part/state.tsx";
import { Hits } from "./hits.tsx";
import { Injected } from "./injected.tsx";
import { Signals } from "./signals.tsx";
import "./recall.css";

const SCOPES: readonly Option[] = [
  ["", "Everything"],
  ["repository", "This repository"],
  ["user", "About you"],
];
const KINDS: readonly Option[] = [
  ["", "Every kind"],
  ["turn", "Turns"],
  ["tool", "Tool output"],
  ["checkpoint", "Checkpoints"],
  ["record", "Memories"],
  ["board", "Board items"],
  ["fact", "Facts"],
  ["pin", "Pins"],
];
const TABS: readonly Option[] = [
  ["found", "What is found"],
  ["injected", "What an agent would get"],
];
const LIMITS: readonly Option[] = ["8", "20", "50", "100"].map((limit): Option => [limit, `${limit} results`]);

export function Recall() {
  const { q = "", scope, kind, asOf, limit = "20", without = "", pick, folder, tab = "found" } = params.value;
  const [text, setText] = useState(q);
  const off = without.split(",").filter(Boolean);
  const body = {
    query: q,
    scope: scope ?? "all",
    ...(kind ? { kind } : {}),
    ...(asOf ? { asOf: `${asOf}T23:59:59Z` } : {}),
    limit: Number(limit),
    explain: true,
    ...(off.length > 0 ? { without: off } : {}),
  };
  return (
    <div class="page">
      <header class="head">
        <h1>Recall</h1>
        <p>The search that agents use, with every part of its score.</p>
      </header>
      <form
        class="recall-form"
        onSubmit={(event) => {
          event.preventDefault();
          setParams({ q: text || undefined, pick: undefined });
        }}
      >
        <input
          type="search"
          data-search
          aria-label="Query"
          placeholder="What did we decide about retries?  /"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Search
        </button>
        <div class="filters">
          <Choice
            label="Scope"
            value={scope ?? ""}
            options={SCOPES}
            onChange={(value) => setParams({ scope: value || undefined })}
          />
          <Choice
            label="Kind"
            value={kind ?? ""}
            options={KINDS}
            onChange={(value) => setParams({ kind: value || undefined })}
          />
          <Choice label="Limit" value={limit} options={LIMITS} onChange={(value) => setParams({ limit: value })} />
          <Field label="As of">
            <input
              type="date"
              value={asOf ?? ""}
              onChange={(event) => setParams({ asOf: event.currentTarget.value || undefined })}
            />
          </Field>
        </div>
      </form>
      {q === "" ? (
        <Empty title="Ask something that was said" command={'everlong recall "what did we decide about retries"'}>
          Results from every session, memory, board and fact appear here, with the score of each and what an agent would
          be given.
        </Empty>
      ) : (
        <>
          <Tabs
            label="Recall"
            value={tab}
            options={TABS}
            onChange={(next) => setParams({ tab: next === "found" ? undefined : next })}
          />
          {tab === "injected" ? (
            <Injected query={q} folder={folder} />
          ) : (
            <Results body={body} off={off} picked={pick} />
          )}
        </>
      )}
    </div>
  );
}

function Results({ body, off, picked }: { body: object; off: readonly string[]; picked: string | undefined }) {
  const answer = useResource(JSON.stringify(body), (signal) =>
    call(recallResults, "/api/recall", { method: "POST", body, signal }),
  );
  return (
    <Loaded of={answer}>
      {({ results, more, plan, durationMs, partial, skipped, unmatched, scope: searched }) => (
        <>
          <div class="stack">
            <p class="soft" role="status">
              {plural(results.length, "result")}
              {more > 0 && `, ${count(more)} more`}
              {durationMs !== undefined && ` in ${duration(durationMs)}`} · searched{" "}
              {searched === "all" ? "everything" : searched}
              {plan && ` · ${count(plan.candidates)} candidates, ${count(plan.passages)} passages`}
              {plan?.embedder && ` · by meaning with ${plan.embedder}`}
            </p>
            {partial && (
              <p class="amber">
                The search ran out of time, so there may be more{skipped.length > 0 && ` (${skipped.join(", ")})`}.
              </p>
            )}
            {unmatched && unmatched.length > 0 && (
              <p class="amber">
                Nothing has the phrase {unmatched.map((one) => `“${one}”`).join(", ")}; these match its words.
              </p>
            )}
            <Signals results={results} off={off} picked={picked} />
          </div>
          <Hits results={results} query={(body as { query: string }).query} picked={picked} />
        </>
      )}
    </Loaded>
  );
}
