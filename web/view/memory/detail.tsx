// One memory: the fact, what supports it, where it came from; vote, review, edit, delete.
import { useState } from "preact/hooks";
import { type MemoryShape, memoryChanged, memoryShape } from "../../../src/schema/api/memory.ts";
import { type ApiResult, type CallProblem, call, nothing } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { href, setParams } from "../../app/route.ts";
import { Confirm } from "../../part/dialog.tsx";
import { plural } from "../../part/figure.tsx";
import { Facts, Mark, type Tone } from "../../part/form.tsx";
import { Loaded, Trouble } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { EditMemory } from "./edit.tsx";
import { recordPath, tagOf } from "./record.ts";
import { Review } from "./review.tsx";

const STATES: Record<MemoryShape["citations"][number]["state"], Tone> = {
  unchecked: "plain",
  verified: "accent",
  moved: "amber",
  changed: "amber",
  missing: "red",
  unverifiable: "plain",
};

export function MemoryDetail({ id, changed }: { id: string; changed(): void }) {
  const record = useResource(id, (signal) => call(memoryShape, recordPath(id), { signal }), ["memory"]);
  const put = (next: MemoryShape): void => {
    record.put(next);
    changed();
  };
  return <Loaded of={record}>{(value) => <Shown record={value} put={put} changed={changed} />}</Loaded>;
}

function Shown({ record, put, changed }: { record: MemoryShape; put(record: MemoryShape): void; changed(): void }) {
  const [open, setOpen] = useState<"edit" | "delete">();
  const [problem, setProblem] = useState<CallProblem>();
  const after = (answer: ApiResult<{ record?: MemoryShape | null | undefined }>): void => {
    setProblem(answer.ok ? undefined : answer.error);
    if (answer.ok && answer.value.record) put(answer.value.record);
  };
  const post = async (action: string, body: object): Promise<void> =>
    after(await call(memoryChanged, `${recordPath(record.id)}/${action}`, { method: "POST", body }));
  const vote = (direction: "upvote" | "downvote"): Promise<void> =>
    post("votes", { direction, reason: "Voted in the dashboard." });
  const { votes, source } = record;
  return (
    <div class="detail">
      <header class="stack">
        <p class="fact">
          <Text>{record.fact}</Text>
        </p>
        <p class="inline">
          <Mark tone="accent">{record.scope === "user" ? "about you" : "repository"}</Mark>
          {record.status.type !== "active" && <Mark tone="amber">{record.status.type}</Mark>}
          {record.status.type === "superseded" && <a href={href("memory", { id: record.status.by })}>by this one</a>}
          {votes.disputed && <Mark tone="red">disputed: kept out of prompts</Mark>}
        </p>
        {record.status.type === "pending" && <Review record={record} resolve={(body) => post("resolution", body)} />}
        <p class="inline">
          <button type="button" aria-pressed={votes.mine === "upvote"} onClick={() => void vote("upvote")}>
            Right {votes.up > 0 && votes.up}
          </button>
          <button type="button" aria-pressed={votes.mine === "downvote"} onClick={() => void vote("downvote")}>
            Wrong {votes.down > 0 && votes.down}
          </button>
          <button type="button" onClick={() => setOpen("edit")}>
            Edit
          </button>
          <button type="button" onClick={() => setOpen("delete")}>
            Delete
          </button>
        </p>
        {problem && <Trouble problem={problem} />}
      </header>
      <Facts
        rows={[
          ["Subject", <Text key="s">{record.subject}</Text>],
          ["Why", <Text key="r">{record.reason}</Text>],
          ["Repository", record.repository],
          ["Stored", <When key="c" at={record.createdAt} />],
          ["Changed", record.version > 1 && <When at={record.updatedAt} />],
          ["Author", `${record.author.name || record.author.id} (${record.author.kind})`],
          ["By way of", `${source.client}${source.model ? `, ${source.model}` : ""}`],
          [
            "Source turn",
            source.sessionId && (
              <a href={href("sessions", { id: source.sessionId })}>{source.turnId ?? source.sessionId}</a>
            ),
          ],
          ["Words from", source.origins.map(({ kind, ref }) => (ref ? `${kind} ${ref}` : kind)).join(", ")],
          [
            "Recalled",
            record.recalls.count > 0 ? (
              <>
                {plural(record.recalls.count, "time")}
                {record.recalls.lastAt && (
                  <>
                    , last <When at={record.recalls.lastAt} />
                  </>
                )}
              </>
            ) : (
              "never yet"
            ),
          ],
          ["Id", <code key="i">{record.id}</code>],
        ]}
      />
      <div class="section">
        <div class="head">
          <h2>Citations</h2>
          {record.citations.some(({ kind }) => kind === "file") && (
            <button type="button" onClick={() => void post("check", {})}>
              Check again
            </button>
          )}
        </div>
        {record.citations.length === 0 ? (
          <p class="soft">It cites nothing.</p>
        ) : (
          <ul class="citations">
            {record.citations.map((citation, index) => (
              <li key={index}>
                <Mark tone={STATES[citation.state]}>{citation.state}</Mark>
                <code>
                  <Text>{citation.raw}</Text>
                </code>
                {citation.checkedAt && (
                  <span class="faint">
                    <When at={citation.checkedAt} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
      {open === "edit" && <EditMemory record={record} put={put} close={() => setOpen(undefined)} />}
      {open === "delete" && (
        <Confirm
          title="Delete this memory?"
          action="Delete"
          onClose={() => setOpen(undefined)}
          run={async () => {
            const answer = await call(nothing, recordPath(record.id), { method: "DELETE", ifMatch: tagOf(record) });
            if (!answer.ok) return answer.error;
            setParams({ id: undefined });
            changed();
            return undefined;
          }}
        >
          <Text>{record.fact}</Text> No agent will be told this any more. The tab Changes can bring it back.
        </Confirm>
      )}
    </div>
  );
}
