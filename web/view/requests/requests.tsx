// Requests: what went through the gateway, and what was done to each.
import { type RequestRow, requestList } from "../../../src/schema/api/request.ts";
import { address, call } from "../../api/call.ts";
import { usePages } from "../../api/pages.ts";
import { params, setParams } from "../../app/route.ts";
import { compact, plural } from "../../part/figure.tsx";
import { OnlySession, type Option, ParamChoice, Search } from "../../part/form.tsx";
import { Rows } from "../../part/rows.tsx";
import { Split } from "../../part/split.tsx";
import { Empty } from "../../part/state.tsx";
import { Line } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { ActionMark } from "./action.tsx";
import { RequestDetail } from "./detail.tsx";
import "./requests.css";

const ACTIONS: readonly Option[] = [
  ["", "Every action"],
  ["trim", "Trimmed"],
  ["insert", "Memory added"],
  ["retry", "Sent again"],
  ["pass", "Unchanged"],
  ["skip", "Not managed"],
];

export function Requests() {
  const { q, action, family, session, id } = params.value;
  const query = { q, action, family, session };
  const list = usePages(
    JSON.stringify(query),
    (page, signal) => call(requestList, address("/api/requests", { ...query, ...page }), { signal }),
    (row) => row.id,
    ["proxy.request"],
  );
  const families = [...new Set([...list.items.map((row) => row.family), ...(family ? [family] : [])])].sort();
  return (
    <Split
      detail={id ? <RequestDetail key={id} id={id} /> : undefined}
      list={
        <>
          <div class="list-head">
            <div class="title">
              <h1>Requests</h1>
              <span class="faint">
                {list.items.length > 0 && plural(list.items.length, "request")}
                {list.hasMore && " or more"}
              </span>
            </div>
            <Search value={q} label="Search requests" />
            <div class="filters">
              <ParamChoice label="Action" param="action" value={action} options={ACTIONS} />
              <ParamChoice
                label="Client"
                param="family"
                value={family}
                options={[["", "Every client"], ...families.map((name): Option => [name, name])]}
              />
            </div>
            <OnlySession session={session} />
          </div>
          <Rows
            label="Requests"
            list={list}
            id={(row) => row.id}
            height={56}
            selected={id}
            onSelect={(row) => setParams({ id: row.id })}
            isFiltered={Boolean(q || action || family || session)}
            empty={list.head?.recording === false ? <NotRecorded /> : <NoRequests />}
          >
            {(row) => (
              <>
                <Line class="first">{`${row.family} · ${row.model || row.path}`}</Line>
                <span class="side">
                  <When at={row.time} seconds />
                </span>
                <span class="second inline-line">
                  <ActionMark row={row} />
                </span>
                <span class="side">{tokensOf(row)}</span>
              </>
            )}
          </Rows>
        </>
      }
    />
  );
}

const NotRecorded = () => (
  <Empty title="Requests are not recorded" command="everlong settings set proxy.records on">
    Recording is switched off, so this view stays empty. Requests still go through, and memory still works.
  </Empty>
);

const NoRequests = () => (
  <Empty title="No requests yet" command="everlong with claude">
    Each request of an agent that works through the gateway appears here: what it asked, what was sent on, and why.
  </Empty>
);

function tokensOf({ tokensIn, tokensSent }: RequestRow): string {
  if (tokensIn === undefined) return "";
  if (tokensSent === undefined || tokensSent === tokensIn) return compact(tokensIn);
  return `${compact(tokensIn)} → ${compact(tokensSent)}`;
}
