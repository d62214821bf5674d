// Graph: facts over time, drawn or as a table; search first, then expand, then move through time.
import { useState } from "preact/hooks";
import type { FactShape } from "../../../src/schema/api/graph.ts";
import { params, setParams } from "../../app/route.ts";
import { plural } from "../../part/figure.tsx";
import { Choice, Search, Tabs } from "../../part/form.tsx";
import { Failed, Loading } from "../../part/state.tsx";
import { Canvas } from "./canvas.tsx";
import { Entities } from "./entities.tsx";
import { EntityPanel, FactPanel } from "./panel.tsx";
import { factsAt, type GraphPicture, pictureOf } from "./picture.ts";
import { FactTable } from "./table.tsx";
import { TimeSlider } from "./time-slider.tsx";
import { useFacts } from "./use-facts.ts";
import "./graph.css";

const list = (text: string | undefined): string[] => (text ?? "").split(",").filter(Boolean);

export function Graph() {
  const { q, entity, at, ended = "show", look = "graph", fact, group, label } = params.value;
  const opened = list(entity);
  const loaded = useFacts(q, opened, group);
  const [preview, setPreview] = useState<number>();
  const moment = preview ?? (at ? Date.parse(at) : undefined);
  const all = loaded.facts.filter((one) => !label || one.relation === label);
  const facts = factsAt(all, moment, ended === "show");
  const picture = pictureOf(facts, loaded.entities, opened);
  const selected = fact ? loaded.facts.find(({ uuid }) => uuid === fact) : undefined;
  const isBlank = !q && opened.length === 0;
  return (
    <div class="graph">
      <header class="graph-head">
        <div class="head">
          <h1>Graph</h1>
          <Tabs
            label="Look"
            value={look}
            options={[
              ["graph", "Drawing"],
              ["table", "Table"],
            ]}
            onChange={(next) => setParams({ look: next === "graph" ? undefined : next })}
          />
        </div>
        <div class="graph-controls">
          <Search value={q} label="Search facts" />
          {!isBlank && (
            <>
              <Choice
                label="Relation"
                value={label ?? ""}
                options={options(loaded.facts)}
                onChange={(next) => setParams({ label: next || undefined })}
              />
              <Choice
                label="Ended facts"
                value={ended}
                options={[
                  ["show", "With ended facts"],
                  ["hide", "Only current facts"],
                ]}
                onChange={(next) => setParams({ ended: next === "show" ? undefined : next })}
              />
              {(q || opened.length > 0) && (
                <button
                  type="button"
                  class="quiet"
                  onClick={() =>
                    setParams({ q: undefined, entity: undefined, fact: undefined, at: undefined, label: undefined })
                  }
                >
                  Clear
                </button>
              )}
            </>
          )}
        </div>
        {all.length > 0 && <TimeSlider facts={all} moment={moment} preview={setPreview} />}
      </header>
      {isBlank ? (
        <Entities group={group} />
      ) : (
        <div class={selected || opened.length > 0 ? "graph-body has-panel" : "graph-body"}>
          <div class="graph-main">
            {loaded.problem && <Failed problem={loaded.problem} retry={loaded.reload} />}
            {!loaded.problem && loaded.loading && loaded.facts.length === 0 && <Loading />}
            {!loaded.problem && !loaded.loading && facts.length === 0 && (
              <p class="state">No fact matches{moment === undefined ? "." : " at this time."}</p>
            )}
            {facts.length > 0 &&
              (look === "table" ? (
                <FactTable facts={facts} moment={moment} selected={fact} />
              ) : (
                <Drawing picture={picture} moment={moment} selected={fact} opened={opened} />
              ))}
          </div>
          {selected ? (
            <FactPanel key={selected.uuid} fact={selected} moment={moment} changed={loaded.reload} />
          ) : (
            opened.length > 0 && (
              <EntityPanel entities={loaded.entities} opened={opened} facts={facts} more={loaded.more} />
            )
          )}
        </div>
      )}
    </div>
  );
}

const options = (facts: readonly FactShape[]): (readonly [string, string])[] => [
  ["", "Every relation"],
  ...[...new Set(facts.map(({ relation }) => relation))]
    .sort()
    .map((name) => [name, name.toLowerCase().replaceAll("_", " ")] as const),
];

function Drawing({
  picture,
  moment,
  selected,
  opened,
}: {
  picture: GraphPicture;
  moment: number | undefined;
  selected: string | undefined;
  opened: readonly string[];
}) {
  return (
    <>
      <Canvas
        picture={picture}
        selected={selected}
        onFact={(uuid) => setParams({ fact: uuid })}
        onEntity={(uuid) => setParams({ entity: [...new Set([...opened, uuid])].join(","), fact: undefined })}
      />
      <p class="faint graph-foot">
        {plural(picture.nodes.length, "entity", "entities")}, {plural(picture.edges.length, "fact")}
        {picture.left.length > 0 && `; ${plural(picture.left.length, "fact")} not drawn, see the table`}. Click an
        entity to expand it, a fact to read it; arrow keys and Enter work too.
        {moment !== undefined && " Dashed facts had ended by then."}
      </p>
    </>
  );
}
