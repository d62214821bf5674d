// The side of the drawing: one fact with its validity and sources, or the entities that are open.
import { useState } from "preact/hooks";
import { type EntityShape, episodeView, type FactShape, graphForgotten } from "../../../src/schema/api/graph.ts";
import { type CallProblem, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { href, params, setParams } from "../../app/route.ts";
import { Confirm } from "../../part/dialog.tsx";
import { count, plural } from "../../part/figure.tsx";
import { Facts, Mark } from "../../part/form.tsx";
import { Loaded } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { hasEnded, type SeenFact } from "./picture.ts";

export function FactPanel({ fact, moment, changed }: { fact: FactShape; moment: number | undefined; changed(): void }) {
  const [removing, setRemoving] = useState<string>();
  const isOver = hasEnded(fact, moment);
  const remove = async (path: string): Promise<CallProblem | undefined> => {
    const answer = await call(graphForgotten, path, { method: "DELETE" });
    if (!answer.ok) return answer.error;
    setParams({ fact: undefined });
    changed();
    return undefined;
  };
  return (
    <aside class="graph-panel" aria-label="Fact">
      <div class="head">
        <span>
          {isOver ? (
            <Mark tone="amber">{fact.invalidatedBy ? "superseded" : "ended"}</Mark>
          ) : (
            <Mark tone="accent">holds</Mark>
          )}
        </span>
        <button type="button" class="quiet" onClick={() => setParams({ fact: undefined })}>
          Close
        </button>
      </div>
      <p class="fact">
        <Text>{fact.text}</Text>
      </p>
      <Facts
        rows={[
          ["Relation", fact.relation.toLowerCase().replaceAll("_", " ")],
          ["From", <When key="f" at={fact.validAt} />],
          ["Until", fact.invalidAt ? <When at={fact.invalidAt} /> : "still true"],
          [
            "Ended by",
            fact.invalidatedBy && (
              <a href={href("graph", { ...params.value, fact: fact.invalidatedBy })}>a newer fact</a>
            ),
          ],
          ["Because", fact.reason && <Text>{fact.reason}</Text>],
          ["Learned", <When key="l" at={fact.createdAt} />],
          ["By", `${fact.origin}, trust ${fact.trust.toFixed(1)}`],
          ["Group", fact.group],
        ]}
      />
      <h3>Said in</h3>
      {fact.sources.length === 0 && <p class="soft">Entered directly, not said in a session.</p>}
      <ul class="sources">
        {fact.sources.map((source) => (
          <li key={source.uuid}>
            <Episode uuid={source.uuid} remove={() => setRemoving(`/api/graph/episodes/${source.uuid}`)} />
          </li>
        ))}
      </ul>
      <p>
        <button type="button" onClick={() => setRemoving(`/api/graph/facts/${fact.uuid}`)}>
          Delete
        </button>
      </p>
      {removing && (
        <Confirm
          title={removing.includes("/facts/") ? "Delete this fact?" : "Delete this episode?"}
          action="Delete"
          onClose={() => setRemoving(undefined)}
          run={() => remove(removing)}
        >
          {removing.includes("/facts/")
            ? "It is deleted from the graph for good. The session's log keeps what was said."
            : "It is deleted from the graph for good, with every fact that rests on it alone. The session's log keeps what was said."}
        </Confirm>
      )}
    </aside>
  );
}

function Episode({ uuid, remove }: { uuid: string; remove(): void }) {
  const episode = useResource(uuid, (signal) =>
    call(episodeView, `/api/graph/episodes/${encodeURIComponent(uuid)}`, { signal }),
  );
  return (
    <Loaded of={episode}>
      {({ episode: one }) => (
        <>
          <p class="source-text">
            <Text>{one.text}</Text>
          </p>
          <p class="inline faint">
            {one.role ?? one.roleType}, <When at={one.validAt} />
            {one.session && (
              <a
                href={href("sessions", {
                  id: one.session,
                  turn: one.turn === undefined ? undefined : String(one.turn),
                })}
              >
                {one.turn === undefined ? "session" : `turn ${one.turn}`}
              </a>
            )}
            <button type="button" class="quiet" onClick={remove}>
              Delete
            </button>
          </p>
        </>
      )}
    </Loaded>
  );
}

type EntityPanelProps = {
  entities: ReadonlyMap<string, EntityShape>;
  opened: readonly string[];
  facts: readonly SeenFact[];
  more: number;
};

export function EntityPanel({ entities, opened, facts, more }: EntityPanelProps) {
  return (
    <aside class="graph-panel" aria-label="Open entities">
      {opened.flatMap((uuid) => {
        const entity = entities.get(uuid);
        if (!entity) return [];
        const own = facts.filter(({ fact }) => fact.subject.uuid === uuid || fact.object.uuid === uuid);
        return [
          <section key={uuid} class="stack">
            <div class="head">
              <h2>
                <Text>{entity.name}</Text>
              </h2>
              <button
                type="button"
                class="quiet"
                onClick={() => setParams({ entity: opened.filter((one) => one !== uuid).join(",") || undefined })}
              >
                Close
              </button>
            </div>
            <p class="soft">
              {entity.label}
              {entity.aliases.length > 0 && `, also ${entity.aliases.join(", ")}`}
            </p>
            {entity.summary && (
              <p>
                <Text>{entity.summary}</Text>
              </p>
            )}
            <ul class="sources">
              {own.slice(0, 50).map(({ fact, hasEnded: isOver }) => (
                <li key={fact.uuid}>
                  <a href={href("graph", { ...params.value, fact: fact.uuid })}>
                    <Text>{fact.text}</Text>
                  </a>{" "}
                  {isOver && <Mark tone="amber">{fact.invalidatedBy ? "superseded" : "ended"}</Mark>}
                </li>
              ))}
            </ul>
            {own.length > 50 && <p class="faint">{plural(own.length - 50, "more fact")} in the table.</p>}
          </section>,
        ];
      })}
      {more > 0 && <p class="faint">{count(more)} more facts: search for them.</p>}
    </aside>
  );
}
