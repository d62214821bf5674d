// Memory: what is remembered, what waits for a review, what was changed, what was promoted.

import { useState } from "preact/hooks";
import { type MemoryShape, memoryList, memoryStatus } from "../../../src/schema/api/memory.ts";
import { address, call } from "../../api/call.ts";
import { usePages } from "../../api/pages.ts";
import { useResource } from "../../api/resource.ts";
import { params, setParams } from "../../app/route.ts";
import { plural } from "../../part/figure.tsx";
import { Mark, type Option, ParamChoice, Search, Tabs } from "../../part/form.tsx";
import { Rows } from "../../part/rows.tsx";
import { Split } from "../../part/split.tsx";
import { Empty } from "../../part/state.tsx";
import { Line } from "../../part/text.tsx";
import { AddMemory } from "./add.tsx";
import { Bulk } from "./bulk.tsx";
import { MemoryChanges } from "./changes.tsx";
import { MemoryDetail } from "./detail.tsx";
import { Promotions } from "./promotions.tsx";
import "./memory.css";

const SCOPES: readonly Option[] = [
  ["", "Every scope"],
  ["repository", "Of a repository"],
  ["user", "About you"],
];
const AUTHORS: readonly Option[] = [
  ["", "Every author"],
  ["user", "By you"],
  ["agent", "By an agent"],
  ["import", "Imported"],
];
const STATES: readonly Option[] = [
  ["", "In use"],
  ["stale", "Cited files changed"],
  ["superseded", "Replaced"],
];

export function Memory() {
  const { tab = "records" } = params.value;
  const status = useResource("status", (signal) => call(memoryStatus, "/api/memory/status", { signal }), ["memory"]);
  const pending = Object.values(status.value?.counts ?? {}).reduce((sum, one) => sum + (one["pending"] ?? 0), 0);
  const tabs: readonly Option[] = [
    ["records", "Records"],
    ["review", pending ? `Review ${pending}` : "Review"],
    ["changes", "Changes"],
    ["promotions", "Promotions"],
  ];
  const head = (
    <>
      <h1>Memory</h1>
      <Tabs
        label="Memory"
        value={tab}
        options={tabs}
        onChange={(next) => setParams({ tab: next === "records" ? undefined : next, id: undefined, q: undefined })}
      />
      {status.value?.enabled === false && <p class="amber">Memory is off: nothing new is stored.</p>}
    </>
  );
  if (tab === "changes" || tab === "promotions")
    return (
      <div class="page">
        <div class="stack">{head}</div>
        {tab === "changes" ? <MemoryChanges /> : <Promotions />}
      </div>
    );
  return <Records head={head} isReview={tab === "review"} />;
}

function Records({ head, isReview }: { head: preact.ComponentChildren; isReview: boolean }) {
  const { q, scope, author, state, id, repository } = params.value;
  const [isAdding, setAdding] = useState(false);
  const [picked, setPicked] = useState<ReadonlyMap<string, MemoryShape>>(new Map());
  const query = {
    q,
    scope,
    author,
    repository,
    status: isReview ? "pending" : state === "superseded" ? "superseded" : "active",
    stale: state === "stale" ? "true" : undefined,
    all: repository ? undefined : "true",
  };
  const list = usePages(
    JSON.stringify(query),
    (page, signal) => call(memoryList, address("/api/memory/records", { ...query, ...page }), { signal }),
    (row) => row.id,
    ["memory"],
  );
  const pick = (row: MemoryShape): void => {
    const next = new Map(picked);
    if (!next.delete(row.id)) next.set(row.id, row);
    setPicked(next);
  };
  return (
    <Split
      detail={id ? <MemoryDetail key={id} id={id} changed={list.reload} /> : undefined}
      list={
        <>
          <div class="list-head">
            {head}
            <div class="inline nowrap">
              <Search value={q} label={isReview ? "Search in review" : "Search memories"} />
              {!isReview && (
                <button type="button" onClick={() => setAdding(true)}>
                  Add
                </button>
              )}
            </div>
            {!isReview && (
              <div class="filters">
                <ParamChoice label="Scope" param="scope" value={scope} options={SCOPES} />
                <ParamChoice label="Author" param="author" value={author} options={AUTHORS} />
                <ParamChoice label="State" param="state" value={state} options={STATES} />
              </div>
            )}
            {picked.size > 0 && (
              <Bulk
                records={[...picked.values()]}
                isReview={isReview}
                done={() => setPicked(new Map())}
                changed={list.reload}
              />
            )}
          </div>
          <Rows
            label="Memories"
            list={list}
            id={(row) => row.id}
            height={56}
            selected={id}
            onSelect={(row) => setParams({ id: row.id })}
            isFiltered={Boolean(q || (!isReview && (scope || author || state || repository)))}
            empty={
              isReview ? (
                <Empty title="Nothing to review">
                  Facts waiting for your approval appear here: those about you, and those an agent was unsure of.
                </Empty>
              ) : (
                <Empty title="Nothing is remembered yet" command={'everlong memory add "We deploy on Fridays"'}>
                  What agents learn about your repositories, and what you tell them, appears here with where it came
                  from.
                </Empty>
              )
            }
          >
            {(row) => <MemoryLine row={row} isPicked={picked.has(row.id)} pick={() => pick(row)} />}
          </Rows>
          {isAdding && <AddMemory close={() => setAdding(false)} changed={list.reload} />}
        </>
      }
    />
  );
}

function MemoryLine({ row, isPicked, pick }: { row: MemoryShape; isPicked: boolean; pick(): void }) {
  return (
    <div class="memory-row">
      <input
        type="checkbox"
        aria-label={`Pick ${row.subject}`}
        checked={isPicked}
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => event.stopPropagation()}
        onChange={pick}
      />
      <Line class="first">{row.fact}</Line>
      <Line class="second">
        {[row.subject, row.scope === "user" ? "about you" : row.repository].filter(Boolean).join(" · ")}
      </Line>
      <span class="side">
        {row.verification === "stale" && <Mark tone="amber">stale</Mark>}
        {row.votes.disputed && <Mark tone="red">disputed</Mark>}
        {row.votes.up + row.votes.down > 0 && <span>{`+${row.votes.up} −${row.votes.down}`}</span>}
        <span>{plural(row.recalls.count, "recall")}</span>
      </span>
    </div>
  );
}
