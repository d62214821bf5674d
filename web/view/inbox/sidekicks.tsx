// Sidekicks: what each one waits for, whether it may run, and what came of its last runs.
import type { sidekickList } from "../../../src/schema/api/inbox.ts";
import type { Resource } from "../../api/resource.ts";
import { href } from "../../app/route.ts";
import { compact, duration, plural } from "../../part/figure.tsx";
import { Mark } from "../../part/form.tsx";
import { Empty, Loaded } from "../../part/state.tsx";
import { When } from "../../part/time.tsx";

type Answer = (typeof sidekickList)["_output"];
const WHY_NOT = {
  memory_off: "memory is off",
  off: "sidekicks are off",
  setting: "switched off by its own setting",
} as const;

export function Sidekicks({ answer }: { answer: Resource<Answer> }) {
  return (
    <Loaded of={answer}>
      {({ items, runs, switches }) => (
        <>
          <p class="soft">
            {switches.memory && switches.enabled ? "Sidekicks are on" : "Sidekicks are off"}. Each turn may cost at most{" "}
            {compact(switches.maxTokensPerTurn)} tokens, each session {compact(switches.maxTokensPerSession)}.{" "}
            <a href={href("settings", { q: "sidekick" })}>Settings</a>
          </p>
          {items.length === 0 && (
            <Empty title="No sidekicks">Background agents that watch a session appear here.</Empty>
          )}
          {items.map((one) => {
            const own = runs.filter(({ name }) => name === one.name);
            const last = own.find(({ state }) => state !== "skipped");
            const skipped = own.find(({ state }) => state === "skipped");
            return (
              <section key={one.name} class="section sidekick">
                <div class="head">
                  <h2>{one.name}</h2>
                  {one.whyNot ? <Mark tone="amber">off: {WHY_NOT[one.whyNot]}</Mark> : <Mark tone="accent">on</Mark>}
                </div>
                <p>{one.description}</p>
                <p class="soft">
                  Starts at{" "}
                  {one.triggers
                    .map(({ event, limit }) => (limit === undefined ? event : `${event} (at most ${limit})`))
                    .join(", ")}
                  {one.conditions.length > 0 && `, if ${one.conditions.join(" and ")}`}.
                  {one.setting && (
                    <>
                      {" "}
                      Switch: <a href={href("settings", { q: one.setting })}>{one.setting}</a>.
                    </>
                  )}
                </p>
                <p class="soft">
                  {last ? (
                    <>
                      Last run <When at={last.at} />: {last.state}
                      {last.tokens !== undefined && `, ${compact(last.tokens)} tokens`}
                      {last.durationMs !== undefined && `, ${duration(last.durationMs)}`}
                      {last.sends !== undefined && `, ${plural(last.sends, "entry", "entries")} sent`}.
                    </>
                  ) : (
                    "It has not run yet."
                  )}
                  {skipped && (
                    <>
                      {" "}
                      Did not run <When at={skipped.at} />: {skipped.reason ?? "no reason given"}.
                    </>
                  )}
                </p>
              </section>
            );
          })}
        </>
      )}
    </Loaded>
  );
}
