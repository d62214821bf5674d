// The overview's charts, each with its sentence.
import type { Overview } from "../../../src/schema/api/overview.ts";
import { Chart } from "../../part/chart.tsx";
import { compact, count, duration, percent, plural, signed } from "../../part/figure.tsx";

type Point = Overview["points"][number];

export function Charts({ points, totals }: { points: readonly Point[]; totals: Overview["totals"] }) {
  const at = points.map((point) => point.at);
  const of = <T,>(read: (point: Point) => T): T[] => points.map(read);
  const busiest = Math.max(0, ...of((point) => point.turns + point.requests));
  const { recallMs, addedMs, cachedShare } = totals;
  const none = "Nothing was measured in this time.";
  return (
    <section class="charts" aria-label="Charts">
      <Chart
        title="Activity"
        summary={`${plural(totals.turns, "turn")} and ${plural(totals.requests, "request")}; ${count(busiest)} in the busiest step.`}
        at={at}
        format={compact}
        series={[
          { name: "requests", token: "edge", kind: "bars", values: of((point) => point.requests) },
          { name: "turns", token: "accent", values: of((point) => point.turns) },
        ]}
      />
      <Chart
        title="Net tokens saved"
        summary={`${signed(totals.netSaved)} after what memory itself cost.`}
        at={at}
        format={compact}
        series={[{ name: "net saved", token: "accent", kind: "bars", values: of((point) => point.netSaved) }]}
      />
      <Chart
        title="Tokens"
        summary={`${compact(totals.tokensAsked)} asked, ${compact(totals.tokensSent)} sent.`}
        at={at}
        format={compact}
        series={[
          { name: "asked", token: "edge", values: of((point) => point.tokensAsked) },
          { name: "sent", token: "accent", values: of((point) => point.tokensSent) },
        ]}
      />
      <Chart
        title="Read from the provider's cache"
        summary={cachedShare === null ? "No provider reported its cache." : `${percent(cachedShare)} of the input.`}
        at={at}
        format={percent}
        series={[{ name: "share", token: "accent", values: of((point) => point.cachedShare) }]}
      />
      <Chart
        title="Recall"
        summary={recallMs ? `Half within ${duration(recallMs.p50)}, 95 % within ${duration(recallMs.p95)}.` : none}
        at={at}
        format={duration}
        series={[
          { name: "p50", token: "accent", values: of((point) => point.recallMs?.p50 ?? null) },
          { name: "p95", token: "amber", values: of((point) => point.recallMs?.p95 ?? null) },
        ]}
      />
      <Chart
        title="Time added to a request"
        summary={addedMs ? `Half within ${duration(addedMs.p50)}, 95 % within ${duration(addedMs.p95)}.` : none}
        at={at}
        format={duration}
        series={[
          { name: "p50", token: "accent", values: of((point) => point.addedMs?.p50 ?? null) },
          { name: "p95", token: "amber", values: of((point) => point.addedMs?.p95 ?? null) },
        ]}
      />
    </section>
  );
}
