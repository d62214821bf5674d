// What memory saved, and what it cost: asked minus sent minus its own spending.
import type { Overview } from "../../../src/schema/api/overview.ts";
import { compact, count, signed } from "../../part/figure.tsx";

export function Saved({ totals }: { totals: Overview["totals"] }) {
  const { tokensAsked, tokensSent, spent, netSaved, requests } = totals;
  const cost = spent.summaries + spent.sidekicks + spent.embeddings;
  return (
    <section class="saved" aria-label="Net tokens saved">
      <p class={netSaved < 0 ? "saved-figure red" : "saved-figure"}>
        {signed(netSaved)} <span>net tokens saved</span>
      </p>
      <p class="soft">
        {requests === 0
          ? "No request went through the gateway in this time."
          : `${compact(tokensAsked)} asked − ${compact(tokensSent)} sent − ${compact(cost)} spent on memory itself (summaries ${count(spent.summaries)}, sidekicks ${count(spent.sidekicks)}, embeddings ${count(spent.embeddings)}).`}
        {netSaved < 0 && " Memory cost more than it saved: short sessions rarely need trimming."}
      </p>
    </section>
  );
}
