// One request in full: the two lengths, what happened to each item, what was recalled and why, how long it took.
import { type RequestDetail as Detail, requestView } from "../../../src/schema/api/request.ts";
import { recallLossText } from "../../../src/schema/recall-loss.ts";
import { call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { href, params, setParams } from "../../app/route.ts";
import { bytes, compact, count, duration, percent } from "../../part/figure.tsx";
import { Facts, Tabs } from "../../part/form.tsx";
import { Loaded } from "../../part/state.tsx";
import { When } from "../../part/time.tsx";
import { reasonOf } from "./action.tsx";
import { Changes } from "./changes.tsx";
import { Snippets } from "./snippets.tsx";
import { Strip } from "./strip.tsx";
import { Timings } from "./timings.tsx";

export function RequestDetail({ id }: { id: string }) {
  const request = useResource(id, (signal) => call(requestView, `/api/requests/${encodeURIComponent(id)}`, { signal }));
  return <Loaded of={request}>{(value) => <Shown value={value} />}</Loaded>;
}

function Shown({ value }: { value: Detail }) {
  const tab = params.value["tab"] ?? "changes";
  const snippets = value.snippets.length;
  return (
    <div class="detail">
      <header class="stack">
        <div class="head">
          <h2>
            {value.family} · {value.model || value.path}
          </h2>
          <span class="faint">
            <When at={value.time} seconds />
          </span>
        </div>
        <Summary value={value} />
        {value.items.length > 0 && <Strip items={value.items} window={value.window} />}
      </header>
      <Tabs
        label="Parts of the request"
        value={tab}
        options={[
          ["changes", "Before and after"],
          ["recall", snippets ? `Recalled ${snippets}` : "Recalled"],
          ["facts", "Facts and timing"],
        ]}
        onChange={(next) => setParams({ tab: next === "changes" ? undefined : next })}
      />
      {tab === "changes" && <Changes value={value} />}
      {tab === "recall" && <Snippets value={value} />}
      {tab === "facts" && <AllFacts value={value} />}
    </div>
  );
}

/** The one sentence that a reader came for. */
function Summary({ value }: { value: Detail }) {
  const { tokensIn, tokensSent } = value;
  const saved = tokensIn !== undefined && tokensSent !== undefined ? tokensIn - tokensSent : 0;
  return (
    <p class="lead">
      {tokensIn !== undefined && (
        <>
          <strong>{count(tokensIn)}</strong> tokens asked, <strong>{count(tokensSent ?? tokensIn)}</strong> sent
          {saved !== 0 && tokensIn > 0 && (
            <span class="soft">
              {" "}
              ({saved > 0 ? `${percent(saved / tokensIn)} less` : `${compact(-saved)} more, added from memory`})
            </span>
          )}
          .{" "}
        </>
      )}
      {value.whyNothing && <span>{value.whyNothing} </span>}
      {value.recallLost && <span class="amber">{recallLossText(value.recallLost)}. </span>}
      {value.failure && <span class="red">{value.failure} </span>}
      {value.epochReason && value.trimmed + value.shortened > 0 && (
        <span class="soft">Cut because {reasonOf(value.epochReason)}.</span>
      )}
    </p>
  );
}

function AllFacts({ value }: { value: Detail }) {
  const { usage } = value;
  return (
    <div class="stack">
      <Facts
        rows={[
          [
            "Client",
            <>
              {value.family} <span class="faint">by {value.familySignal}</span>
            </>,
          ],
          [
            "Session",
            value.session && (
              <>
                <a href={href("sessions", { id: value.session })}>{value.session}</a>
                {value.sessionSignal && <span class="faint"> by {value.sessionSignal}</span>}
              </>
            ),
          ],
          ["Folder", value.folder && <code>{value.folder}</code>],
          ["Upstream", value.upstream],
          [
            "Wire",
            value.wire && (
              <>
                {value.wire} <code>{value.path}</code>
              </>
            ),
          ],
          ["Kind", value.kind],
          [
            "Lane, epoch",
            value.lane !== undefined &&
              `${value.lane}, ${value.epoch ?? 0}${value.epochReason ? ` (${reasonOf(value.epochReason)})` : ""}`,
          ],
          [
            "Window",
            value.window !== undefined && `${count(value.window)}, usable ${count(value.usable ?? value.window)}`,
          ],
          ["Bytes", `${bytes(value.bytesIn)} asked, ${bytes(value.bytesSent)} sent`],
          [
            "Cache-safe start",
            value.bytesShared !== undefined &&
              `${bytes(value.bytesShared)}${value.bytesSent > 0 ? `, ${percent(value.bytesShared / value.bytesSent)} of what was sent` : ""}`,
          ],
          [
            "Usage returned",
            usage &&
              [
                usage.input !== undefined && `${count(usage.input)} in`,
                usage.cached !== undefined && `${count(usage.cached)} from cache`,
                usage.output !== undefined && `${count(usage.output)} out`,
              ]
                .filter(Boolean)
                .join(", "),
          ],
          ["Stored", value.stored > 0 && `${count(value.stored)} items`],
          ["Answer", `${value.status ?? "none"}, ${value.outcome}`],
          ["Time", `${duration(value.totalMs)}, of it ${duration(value.addedMs)} added here`],
          ["Request", <code key="id">{value.id}</code>],
        ]}
      />
      <Timings value={value} />
    </div>
  );
}
