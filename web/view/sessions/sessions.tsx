// Sessions: of our own agent, of the gateway's clients and imported ones, and one of them in full.
import { type SessionRow, sessionList } from "../../../src/schema/api/session.ts";
import { address, call } from "../../api/call.ts";
import { usePages } from "../../api/pages.ts";
import { params, setParams } from "../../app/route.ts";
import { compact, plural } from "../../part/figure.tsx";
import { type Option, ParamChoice, Search } from "../../part/form.tsx";
import { Rows } from "../../part/rows.tsx";
import { Split } from "../../part/split.tsx";
import { Empty } from "../../part/state.tsx";
import { Line } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { SessionDetail } from "./detail.tsx";
import "./sessions.css";

const SOURCES: readonly Option[] = [
  ["", "Every source"],
  ["agent", "Everlong's agent"],
  ["gateway", "Through the gateway"],
  ["import", "Imported"],
];
const DAYS: readonly Option[] = [
  ["", "Any time"],
  ["1", "Last day"],
  ["7", "Last week"],
  ["30", "Last month"],
];

export function Sessions() {
  const { q, source, client, folder, days, id } = params.value;
  const query = { q, source, client, folder };
  const list = usePages(
    JSON.stringify({ ...query, days }),
    (page, signal) =>
      call(sessionList, address("/api/sessions", { ...query, since: sinceDays(days), ...page }), { signal }),
    (row) => row.id,
    ["session", "sessions", "proxy.session_created", "proxy.request"],
  );
  const names = (field: "client" | "folder", value: string | undefined): Option[] =>
    [...new Set([...list.items.map((row) => row[field]), value])]
      .flatMap((name): Option[] => (name ? [[name, shortFolder(name)]] : []))
      .sort(([a], [b]) => a.localeCompare(b));
  return (
    <Split
      detail={id ? <SessionDetail key={id} id={id} /> : undefined}
      list={
        <>
          <div class="list-head">
            <div class="title">
              <h1>Sessions</h1>
              <span class="faint">
                {list.items.length > 0 && plural(list.items.length, "session")}
                {list.hasMore && " or more"}
              </span>
            </div>
            <Search value={q} label="Search sessions" />
            <div class="filters">
              <ParamChoice label="Source" param="source" value={source} options={SOURCES} />
              <ParamChoice
                label="Client"
                param="client"
                value={client}
                options={[["", "Every client"], ...names("client", client)]}
              />
              <ParamChoice
                label="Folder"
                param="folder"
                value={folder}
                options={[["", "Every folder"], ...names("folder", folder)]}
              />
              <ParamChoice label="Date" param="days" value={days} options={DAYS} />
            </div>
          </div>
          <Rows
            label="Sessions"
            list={list}
            id={(row) => row.id}
            height={56}
            selected={id}
            onSelect={(row) => setParams({ id: row.id, ref: undefined, event: undefined, tab: undefined })}
            isFiltered={Boolean(q || source || client || folder || days)}
            empty={
              <Empty title="No sessions yet" command="everlong">
                Each conversation with Everlong, and each one of an agent that works through the gateway, appears here
                with everything that was said.
              </Empty>
            }
          >
            {(row) => <SessionLine row={row} />}
          </Rows>
        </>
      }
    />
  );
}

function SessionLine({ row }: { row: SessionRow }) {
  return (
    <>
      <Line class="first">{row.title || row.id}</Line>
      <span class="side">
        {row.pid !== null && <span class="dot" title={`open in process ${row.pid}`} />}
        <When at={row.updatedAt} />
      </span>
      <Line class="second">
        {[row.client, row.folder && shortFolder(row.folder), row.branch].filter(Boolean).join(" · ")}
      </Line>
      <span class="side">
        {plural(row.turns, "turn")}, {compact(row.tokens)}
      </span>
    </>
  );
}

/** The last two names of a path. */
const shortFolder = (path: string): string => path.split("/").filter(Boolean).slice(-2).join("/") || path;

/** At the start of that day, so that the address asked stays the same for a while. */
function sinceDays(days: string | undefined): string | undefined {
  if (!days) return undefined;
  const date = new Date();
  date.setMinutes(0, 0, 0);
  return new Date(date.getTime() - Number(days) * 86_400_000).toISOString();
}
