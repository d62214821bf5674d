// A session at a glance: what happened when, in lanes over time, the window as it filled, and its checkpoints.
import type { SessionDetail } from "../../../src/schema/api/session.ts";
import { href } from "../../app/route.ts";
import { Chart } from "../../part/chart.tsx";
import type { ChartSeries } from "../../part/chart-series.ts";
import { compact, count, percent } from "../../part/figure.tsx";
import { Mark, type Tone } from "../../part/form.tsx";
import { Line } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";

type Entry = SessionDetail["timeline"][number];

const KINDS = ["prompt", "recall", "subagent", "truncation", "compaction", "rewind", "error"] as const;
const TONES: Record<Entry["kind"], Tone> = {
  prompt: "plain",
  recall: "accent",
  subagent: "plain",
  truncation: "amber",
  compaction: "amber",
  rewind: "amber",
  error: "red",
};
const WIDE = 1000;
const LANE = 16;
/** Pauses longer than this take no more room: people sleep, and the rest must stay readable. */
const PAUSE_MS = 10 * 60_000;

export function Timeline({ value }: { value: SessionDetail }) {
  const { timeline } = value;
  return (
    <div class="stack">
      {value.window.length > 1 && <WindowChart value={value} />}
      {timeline.length === 0 ? (
        <p class="soft">Prompts, compactions, recalls, subagents and errors appear here.</p>
      ) : (
        <>
          <Lanes entries={timeline} />
          <div class="wide">
            <table>
              <tbody>
                {timeline.slice(-500).map((entry, index) => (
                  <tr key={index}>
                    <td>
                      <When at={entry.at} seconds />
                    </td>
                    <td>
                      <Mark tone={TONES[entry.kind]}>{entry.kind}</Mark>
                    </td>
                    <td class="fill">
                      <Label session={value.id} entry={entry} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {value.checkpoints.length > 0 && (
        <div class="section">
          <h2>Checkpoints</h2>
          <table>
            <tbody>
              {value.checkpoints.map((one) => (
                <tr key={one.number}>
                  <td>{one.number}</td>
                  <td class="fill">{one.title}</td>
                  <td class="soft">{one.trigger}</td>
                  <td>
                    <When at={one.at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function Label({ session, entry }: { session: string; entry: Entry }) {
  const to = entry.request
    ? href("requests", { id: entry.request })
    : entry.event
      ? href("sessions", { id: session, event: entry.event })
      : undefined;
  return to ? (
    <a href={to}>
      <Line>{entry.label}</Line>
    </a>
  ) : (
    <Line>{entry.label}</Line>
  );
}

/** Where a moment stands between 0 and 1, long pauses cut short. */
function scaleOf(entries: readonly Entry[]): (moment: string) => number {
  const moments = [
    ...new Set(entries.flatMap(({ at, until }) => [Date.parse(at), ...(until ? [Date.parse(until)] : [])])),
  ].sort((a, b) => a - b);
  const places = new Map<number, number>();
  let total = 0;
  moments.forEach((moment, index) => {
    if (index > 0) total += Math.min(moment - (moments[index - 1] ?? moment), PAUSE_MS);
    places.set(moment, total);
  });
  return (moment) => (total === 0 ? 0.5 : (places.get(Date.parse(moment)) ?? 0) / total);
}

function Lanes({ entries }: { entries: readonly Entry[] }) {
  const place = scaleOf(entries);
  const kinds = KINDS.filter((kind) => entries.some((entry) => entry.kind === kind));
  return (
    <figure
      class="lanes"
      aria-label={kinds
        .map((kind) => `${count(entries.filter((entry) => entry.kind === kind).length)} × ${kind}`)
        .join(", ")}
    >
      {kinds.map((kind) => (
        <div key={kind} class="lane">
          <span class="faint">{kind}</span>
          <svg viewBox={`0 0 ${WIDE} ${LANE}`} preserveAspectRatio="none" role="presentation">
            <line x1={0} x2={WIDE} y1={LANE / 2} y2={LANE / 2} class="lane-line" />
            {entries
              .filter((entry) => entry.kind === kind)
              .map((entry, index) => {
                const from = place(entry.at) * (WIDE - 4);
                const to = entry.until ? place(entry.until) * (WIDE - 4) : from;
                return (
                  <rect
                    key={index}
                    class={`is-${TONES[kind]}`}
                    x={from}
                    width={Math.max(4, to - from)}
                    y={3}
                    height={LANE - 6}
                  >
                    <title>{entry.label}</title>
                  </rect>
                );
              })}
          </svg>
        </div>
      ))}
    </figure>
  );
}

function WindowChart({ value }: { value: SessionDetail }) {
  const { window: points, thresholds } = value;
  const last = points.at(-1);
  const most = points.reduce((tokens, one) => Math.max(tokens, one.tokens), 0);
  const highest = points.reduce((part, { tokens, limit }) => (limit > 0 ? Math.max(part, tokens / limit) : part), 0);
  // How large the window of a client's model is, the gateway knows only when it must cut.
  const summary =
    last && last.limit > 0
      ? `Now ${compact(last.tokens)} of ${compact(last.limit)} tokens; ${percent(highest)} at its fullest.`
      : `Now ${compact(last?.tokens ?? 0)} tokens; ${compact(most)} at its fullest.`;
  const threshold = (word: string, token: "amber" | "red", part: number | null | undefined): ChartSeries[] =>
    part
      ? [{ name: `${word} ${percent(part)}`, token, dashed: true, values: points.map(({ limit }) => limit * part) }]
      : [];
  return (
    <Chart
      title="Context window"
      summary={summary}
      at={points.map(({ at }) => at)}
      format={compact}
      height={170}
      series={[
        { name: "tokens", token: "accent", values: points.map(({ tokens }) => tokens) },
        ...threshold("compacts at", "amber", thresholds?.background),
        ...threshold("waits at", "red", thresholds?.blocking),
      ]}
    />
  );
}
