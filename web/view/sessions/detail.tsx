// One session: what it is, and its transcript, timeline, window and state.
import { useRef, useState } from "preact/hooks";
import { type SessionDetail as Detail, sessionView } from "../../../src/schema/api/session.ts";
import { call, nothing } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { href, params, setParams } from "../../app/route.ts";
import { Confirm } from "../../part/dialog.tsx";
import { compact, count, plural, signed } from "../../part/figure.tsx";
import { Facts, Tabs } from "../../part/form.tsx";
import { Reach, Resume } from "../../part/reach.tsx";
import { Loaded } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { exportSession } from "./export.ts";
import { SessionState } from "./state.tsx";
import { StoredItem } from "./stored-item.tsx";
import { Timeline } from "./timeline.tsx";
import { Transcript } from "./transcript.tsx";

const TABS = [
  ["transcript", "Transcript"],
  ["timeline", "Timeline"],
  ["state", "State"],
  ["facts", "Facts"],
] as const;

const addressOf = (id: string): string => `/api/sessions/${encodeURIComponent(id)}`;

export function SessionDetail({ id }: { id: string }) {
  const session = useResource(id, (signal) => call(sessionView, addressOf(id), { signal }), [
    "session",
    "proxy.request",
  ]);
  return <Loaded of={session}>{(value) => <Shown value={value} reload={session.reload} />}</Loaded>;
}

function Shown({ value, reload }: { value: Detail; reload(): void }) {
  const { tab = "transcript", ref } = params.value;
  const [isDeleting, setDeleting] = useState(false);
  const [problem, setProblem] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  return (
    <div class="detail" ref={box}>
      <header class="stack">
        <div class="head">
          <h2>
            <Text>{value.title || value.id}</Text>
          </h2>
          <span class="inline">
            {value.proxied && <a href={href("requests", { session: value.id })}>Requests</a>}
            {value.proxied ? (
              <button type="button" onClick={() => void exportSession(value.id).then(setProblem)}>
                Export
              </button>
            ) : (
              <a class="button" href={`${addressOf(value.id)}/export?format=html`} download>
                Export
              </a>
            )}
            <button type="button" onClick={() => setDeleting(true)}>
              Delete
            </button>
          </span>
        </div>
        <p class="soft">
          {[value.client, value.model, plural(value.turns, "turn"), `${compact(value.tokens)} tokens`]
            .filter(Boolean)
            .join(" · ")}{" "}
          · <When at={value.updatedAt} />
        </p>
        <Owner value={value} />
        {problem && <p class="trouble">{problem}</p>}
      </header>
      <Tabs
        label="Parts of the session"
        value={tab}
        options={TABS}
        onChange={(next) => setParams({ tab: next === "transcript" ? undefined : next })}
      />
      {ref && tab === "transcript" && <StoredItem session={value.id} place={ref} />}
      {tab === "transcript" && <Transcript session={value.id} />}
      {tab === "timeline" && <Timeline value={value} />}
      {tab === "state" && <SessionState value={value} changed={reload} />}
      {tab === "facts" && <AllFacts value={value} />}
      {isDeleting && (
        <Confirm
          title="Delete this session?"
          action="Delete"
          typed={value.title || value.id}
          onClose={() => setDeleting(false)}
          run={async () => {
            const answer = await call(nothing, addressOf(value.id), {
              method: "DELETE",
              body: { title: value.title || value.id },
            });
            if (!answer.ok) return answer.error;
            setParams({ id: undefined, ref: undefined, event: undefined, tab: undefined });
            return undefined;
          }}
        >
          Its log, its checkpoints and its search results are deleted for good. Memories that came from it stay.
        </Confirm>
      )}
    </div>
  );
}

/** Who can compact, stop or write to it. */
function Owner({ value }: { value: Detail }) {
  if (value.proxied)
    return <p class="faint">Its client ({value.client}) owns this conversation: compact or stop it there.</p>;
  if (value.source !== "agent") return null;
  if (value.pid === null) return <Resume session={value.id} />;
  if (!value.mayControl)
    return <p class="faint">Process {value.pid} has it open: compact, stop or write to it in its terminal.</p>;
  return (
    <>
      <p class="faint">Process {value.pid} has it open.</p>
      <Reach key={value.id} session={value.id} />
    </>
  );
}

function AllFacts({ value }: { value: Detail }) {
  const { proxied } = value;
  return (
    <div class="stack">
      <Facts
        rows={[
          ["Session", <code key="id">{value.id}</code>],
          [
            "Source",
            value.source === "agent" ? "Everlong's agent" : value.source === "gateway" ? "the gateway" : "imported",
          ],
          ["Folder", value.folder && <code>{value.folder}</code>],
          ["Repository", value.repository],
          ["Branch", value.branch],
          ["Began", <When key="at" at={value.createdAt} />],
          ["Known by", proxied && `${proxied.signal}`],
          [
            "Asked, sent",
            proxied &&
              `${count(proxied.tokensIn)}, ${count(proxied.tokensSent)} tokens in ${plural(proxied.requests, "request")}`,
          ],
          ["Net saved", proxied && `${signed(proxied.netSaved)} tokens`],
        ]}
      />
      {proxied && proxied.lanes.length > 0 && (
        <div class="section">
          <h2>Lanes</h2>
          <div class="wide">
            <table>
              <thead>
                <tr>
                  <th>Lane</th>
                  <th>Kind</th>
                  <th class="number">Items</th>
                  <th class="number">Epoch</th>
                  <th class="number">Trimmed</th>
                  <th class="number">Shortened</th>
                  <th class="number">Injected</th>
                </tr>
              </thead>
              <tbody>
                {proxied.lanes.map((lane) => (
                  <tr key={lane.id}>
                    <td>{lane.id}</td>
                    <td>
                      {lane.kind} <span class="faint">{lane.model}</span>
                    </td>
                    <td class="number">{count(lane.items)}</td>
                    <td class="number" title={lane.reason}>
                      {lane.epoch}
                    </td>
                    <td class="number">{lane.dropped}</td>
                    <td class="number">{lane.shortened}</td>
                    <td class="number">{lane.insertions}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </div>
      )}
      {value.files.length > 0 && (
        <div class="section">
          <h2>Files</h2>
          <ul class="files">
            {value.files.map((file) => (
              <li key={file}>
                <code>{file}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
