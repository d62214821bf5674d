// Inbox: what background agents sent to sessions, and which of them ran or did not.

import { useState } from "preact/hooks";
import { inboxList, sidekickList } from "../../../src/schema/api/inbox.ts";
import { address, type CallProblem, call, nothing } from "../../api/call.ts";
import { usePages } from "../../api/pages.ts";
import { useResource } from "../../api/resource.ts";
import { href, params, setParams } from "../../app/route.ts";
import { Confirm } from "../../part/dialog.tsx";
import { plural } from "../../part/figure.tsx";
import { Facts, Mark, Tabs } from "../../part/form.tsx";
import { Markdown } from "../../part/markdown.tsx";
import { Rows } from "../../part/rows.tsx";
import { Split } from "../../part/split.tsx";
import { Empty } from "../../part/state.tsx";
import { Line, Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { Sidekicks } from "./sidekicks.tsx";
import "./inbox.css";

const TABS = [
  ["entries", "Entries"],
  ["sidekicks", "Sidekicks"],
] as const;

export function Inbox() {
  const { tab = "entries", session, id } = params.value;
  const list = usePages(
    session ?? "",
    (page, signal) => call(inboxList, address("/api/memory/inbox", { session, ...page }), { signal }),
    (row) => row.id,
    ["inbox", "session.grown"],
  );
  const sidekicks = useResource("sidekicks", (signal) => call(sidekickList, "/api/memory/sidekicks", { signal }), [
    "inbox",
    "session.grown",
    "settings",
  ]);
  const head = (
    <div class="list-head">
      <div class="title">
        <h1>Inbox</h1>
        <span class="faint">
          {list.items.length > 0 &&
            plural(list.items.filter(({ unread }) => unread).length, "unread entry", "unread entries")}
        </span>
      </div>
      <Tabs
        label="Inbox"
        value={tab}
        options={TABS}
        onChange={(next) => setParams({ tab: next === "entries" ? undefined : next, id: undefined })}
      />
    </div>
  );
  if (tab === "sidekicks")
    return (
      <div class="page">
        {head}
        <Sidekicks answer={sidekicks} />
      </div>
    );
  const entry = list.items.find((row) => row.id === id);
  return (
    <Split
      detail={
        id ? (
          entry ? (
            <Entry key={id} entry={entry} changed={list.reload} />
          ) : (
            <p class="state">This entry is no longer here.</p>
          )
        ) : undefined
      }
      list={
        <>
          {head}
          <Rows
            label="Inbox entries"
            list={list}
            id={(row) => row.id}
            height={56}
            selected={id}
            onSelect={(row) => setParams({ id: row.id })}
            isFiltered={Boolean(session)}
            empty={
              <Empty title="No entries yet" command="everlong settings set sidekicks.enabled true">
                Background agents that watch a session send what they find to its inbox. It appears here when one has
                something to say.
              </Empty>
            }
          >
            {(row) => (
              <>
                <Line class={row.unread ? "first" : ""}>{row.summary}</Line>
                <span class="side">
                  <When at={row.sentAt} />
                </span>
                <Line class="second">{row.senderName}</Line>
                <span class="side">{row.unread ? <Mark tone="accent">unread</Mark> : "read"}</span>
              </>
            )}
          </Rows>
        </>
      }
    />
  );
}

type EntryShape = (typeof inboxList)["_output"]["items"][number];

function Entry({ entry, changed }: { entry: EntryShape; changed(): void }) {
  const [isDeleting, setDeleting] = useState(false);
  const remove = async (): Promise<CallProblem | undefined> => {
    const path = `/api/memory/inbox/${encodeURIComponent(entry.recipientSessionId)}/${encodeURIComponent(entry.id)}`;
    const answer = await call(nothing, path, { method: "DELETE" });
    if (!answer.ok) return answer.error;
    setParams({ id: undefined });
    changed();
    return undefined;
  };
  return (
    <div class="detail">
      <header class="head">
        <h2>
          <Text>{entry.summary}</Text>
        </h2>
        <button type="button" onClick={() => setDeleting(true)}>
          Delete
        </button>
      </header>
      <Markdown>{entry.content}</Markdown>
      <Facts
        rows={[
          ["From", `${entry.senderName} (${entry.senderType})`],
          [
            "To session",
            <a key="s" href={href("sessions", { id: entry.recipientSessionId })}>
              {entry.recipientSessionId}
            </a>,
          ],
          ["Sent", <When key="t" at={entry.sentAt} />],
          ["Announced", entry.notifiedAt && <When at={entry.notifiedAt} />],
          ["Read", entry.readAt ? <When at={entry.readAt} /> : "not yet; looking at it here changes nothing"],
          ["Entry", <code key="i">{entry.id}</code>],
        ]}
      />
      {isDeleting && (
        <Confirm title="Delete this entry?" action="Delete" onClose={() => setDeleting(false)} run={remove}>
          The agent no longer sees it.
        </Confirm>
      )}
    </div>
  );
}
