// The same facts as a table.
import { href, params } from "../../app/route.ts";
import { count } from "../../part/figure.tsx";
import { Mark } from "../../part/form.tsx";
import { Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import type { SeenFact } from "./picture.ts";

const MOST = 300;

export function FactTable({
  facts,
  selected,
}: {
  facts: readonly SeenFact[];
  moment: number | undefined;
  selected: string | undefined;
}) {
  const rows = [...facts].sort((a, b) => b.fact.validAt.localeCompare(a.fact.validAt));
  return (
    <div class="wide graph-table">
      <table>
        <thead>
          <tr>
            <th>Fact</th>
            <th>Relation</th>
            <th>From</th>
            <th>Until</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST).map(({ fact, hasEnded }) => (
            <tr key={fact.uuid} aria-selected={fact.uuid === selected}>
              <td>
                <a href={href("graph", { ...params.value, fact: fact.uuid })}>
                  <Text>{fact.text}</Text>
                </a>
              </td>
              <td class="soft">{fact.relation.toLowerCase().replaceAll("_", " ")}</td>
              <td class="soft">
                <When at={fact.validAt} />
              </td>
              <td class="soft">{fact.invalidAt ? <When at={fact.invalidAt} /> : "–"}</td>
              <td>
                {hasEnded ? (
                  <Mark tone="amber">{fact.invalidatedBy ? "superseded" : "ended"}</Mark>
                ) : (
                  <Mark tone="accent">holds</Mark>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST && <p class="faint">{count(rows.length - MOST)} more: search for them.</p>}
    </div>
  );
}
