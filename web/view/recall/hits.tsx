// What a search found, best first.
import type { RecallHitShape } from "../../../src/schema/api/recall.ts";
import { href, setParams } from "../../app/route.ts";
import { Mark } from "../../part/form.tsx";
import { Score } from "../../part/score.tsx";
import { Marked } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";

/** Beyond so many the list is cut: a search with hundreds of results needs better words. */
const MOST = 100;

export function Hits({
  results,
  query,
  picked,
}: {
  results: readonly RecallHitShape[];
  query: string;
  picked: string | undefined;
}) {
  if (results.length === 0) return <p class="soft">No match mentions this.</p>;
  return (
    <ol class="hits">
      {results.slice(0, MOST).map((hit, index) => (
        <li key={hit.id} class={hit.id === picked ? "is-picked" : ""}>
          <p class="inline">
            <span class="faint">{index + 1}</span>
            <Mark tone="accent">{hit.kind}</Mark>
            <span class="soft">{hit.role}</span>
            {hit.time && (
              <span class="faint">
                <When at={hit.time} />
              </span>
            )}
            {hit.source.client && <span class="faint">{hit.source.client}</span>}
            {hit.source.session && (
              <a href={href("sessions", { id: hit.source.session, ref: hit.ref })}>{hit.ref ?? "open"}</a>
            )}
            {hit.rewound && <Mark tone="amber">rewound</Mark>}
            <button
              type="button"
              class="quiet"
              aria-pressed={hit.id === picked}
              onClick={() => setParams({ pick: hit.id === picked ? undefined : hit.id }, { replace: true })}
            >
              {hit.id === picked ? "Ranks shown" : "Ranks"}
            </button>
          </p>
          {hit.snippets.map((snippet, at) => (
            <p key={at} class="hit-text">
              <Marked text={snippet.text} words={query} />
            </p>
          ))}
          <Score score={hit.score} parts={hit.parts} />
        </li>
      ))}
    </ol>
  );
}
