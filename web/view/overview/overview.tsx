// Overview: how much there is, what memory saved and cost, how fast it is, and what happened last.
import { type Overview as Answer, overview, overviewRange } from "../../../src/schema/api/overview.ts";
import { address, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { href, params, setParams } from "../../app/route.ts";
import { compact, count, plural } from "../../part/figure.tsx";
import { Tabs } from "../../part/form.tsx";
import { Empty, Loaded } from "../../part/state.tsx";
import { Line } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { Charts } from "./charts.tsx";
import { Saved } from "./saved.tsx";
import "./overview.css";

const RANGES = [
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
] as const;

export function Overview() {
  const range = overviewRange.safeParse(params.value["range"]).data ?? "7d";
  const answer = useResource(range, (signal) => call(overview, address("/api/overview", { range }), { signal }), [
    "proxy.request",
    "session",
    "memory",
    "graph",
  ]);
  return (
    <div class="page">
      <header class="head">
        <h1>Overview</h1>
        <Tabs label="Range" value={range} options={RANGES} onChange={(next) => setParams({ range: next })} />
      </header>
      <Loaded of={answer}>{(value) => <Shown value={value} />}</Loaded>
    </div>
  );
}

function Shown({ value }: { value: Answer }) {
  const { counts, warnings, sessions } = value;
  if (counts.sessions === 0 && counts.memories === 0 && value.totals.requests === 0)
    return (
      <>
        <Warnings list={warnings} />
        <Empty title="Nothing here yet" command="everlong with claude">
          Work with Everlong, or start the agent you already use through the gateway. Sessions, requests and what was
          remembered then appear here as they happen.
        </Empty>
      </>
    );
  return (
    <>
      <Warnings list={warnings} />
      <dl class="figures">
        <Figure name="sessions" value={counts.sessions} to={href("sessions")} />
        <Figure name="turns" value={counts.turns} to={href("sessions")} />
        <Figure
          name="memories"
          value={counts.memories}
          to={href("memory")}
          note={counts.pending > 0 ? `${counts.pending} to review` : ""}
        />
        <Figure name="facts" value={counts.facts} to={href("graph")} />
        <Figure name="board items" value={counts.boardItems} to={href("board")} />
      </dl>
      <Saved totals={value.totals} />
      <Charts points={value.points} totals={value.totals} />
      <section class="section">
        <div class="head">
          <h2>Latest sessions</h2>
          <a href={href("sessions")}>All sessions</a>
        </div>
        <div class="wide">
          <table class="latest">
            <tbody>
              {sessions.map((row) => (
                <tr key={row.id}>
                  <td class="fill">
                    <a href={href("sessions", { id: row.id })}>
                      <Line>{row.title || row.id}</Line>
                    </a>
                  </td>
                  <td class="soft">{row.client}</td>
                  <td class="number soft">{plural(row.turns, "turn")}</td>
                  <td class="number soft">{compact(row.tokens)}</td>
                  <td class="number faint">
                    <When at={row.updatedAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  );
}

const Figure = ({ name, value, to, note }: { name: string; value: number; to: string; note?: string }) => (
  <div class="figure">
    <dt>{name}</dt>
    <dd>
      <a href={to}>{count(value)}</a>
      {note && (
        <a class="figure-note" href={href("memory", { tab: "review" })}>
          {note}
        </a>
      )}
    </dd>
  </div>
);

const Warnings = ({ list }: { list: Answer["warnings"] }) =>
  list.length === 0 ? null : (
    <ul class="warnings">
      {list.map(({ name, finding, fix }) => (
        <li key={name} class="trouble is-warning">
          <span>
            <strong>{name}</strong> {finding} {fix && <span class="soft">{fix}</span>}
          </span>
          <a href={href("health")}>Health</a>
        </li>
      ))}
    </ul>
  );
