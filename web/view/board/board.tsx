// Board: what later sessions should know, by repository and branch.
import { boardList } from "../../../src/schema/api/board.ts";
import { address, call } from "../../api/call.ts";
import { usePages } from "../../api/pages.ts";
import { params, setParams } from "../../app/route.ts";
import { Rows } from "../../part/rows.tsx";
import { Split } from "../../part/split.tsx";
import { Empty } from "../../part/state.tsx";
import { Line } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { BoardDetail } from "./detail.tsx";
import type { BoardAt } from "./place.ts";
import "./board.css";

const keyOf = ({ repository, branch }: BoardAt): string => JSON.stringify([repository, branch]);

export function Board() {
  const { id, repository, branch } = params.value;
  const list = usePages(
    "boards",
    (page, signal) => call(boardList, address("/api/memory/boards", page), { signal }),
    (row) => keyOf(row),
    ["board", "memory"],
  );
  const place = repository && branch ? { repository, branch } : readKey(id);
  return (
    <Split
      detail={place ? <BoardDetail key={keyOf(place)} place={place} others={list.items} /> : undefined}
      list={
        <>
          <div class="list-head">
            <h1>Board</h1>
            <p class="soft">Short notes shown to each new session on a branch.</p>
          </div>
          <Rows
            label="Boards"
            list={list}
            id={keyOf}
            height={56}
            selected={place && keyOf(place)}
            onSelect={(row) => setParams({ id: keyOf(row), repository: undefined, branch: undefined, tab: undefined })}
            isFiltered={false}
            empty={
              <Empty
                title="No boards yet"
                command={'everlong board add deploys "How we deploy" "Fridays, by hand, from main"'}
              >
                Notes for later sessions appear here, a board for each branch of a repository.
              </Empty>
            }
          >
            {(row) => (
              <>
                <Line class="first">{row.repository}</Line>
                <span class="side">
                  {row.items}/{row.capacity}
                </span>
                <Line class="second">{row.branch}</Line>
                <span class="side">
                  <When at={row.updatedAt} />
                </span>
              </>
            )}
          </Rows>
        </>
      }
    />
  );
}

function readKey(text: string | undefined): BoardAt | undefined {
  try {
    const [repository, branch] = JSON.parse(text ?? "[]") as unknown[];
    return typeof repository === "string" && typeof branch === "string" ? { repository, branch } : undefined;
  } catch {
    return undefined; // an address that somebody typed
  }
}
