// What changed on a board, newest first, with undo of one change or of a whole run.
import { boardChangeList, boardUndone } from "../../../src/schema/api/board.ts";
import { address, call } from "../../api/call.ts";
import { usePages } from "../../api/pages.ts";
import { ChangeTable } from "../../part/change-table.tsx";
import { Mark } from "../../part/form.tsx";
import { Line } from "../../part/text.tsx";
import { type BoardAt, boardPath } from "./place.ts";

export function BoardChanges({ place }: { place: BoardAt }) {
  const list = usePages(
    boardPath(place),
    (page, signal) => call(boardChangeList, address("/api/memory/board/changes", { ...place, ...page }), { signal }),
    (row) => String(row.id),
    ["board"],
  );
  return (
    <ChangeTable
      list={list}
      empty={<p class="soft">Nothing was changed yet.</p>}
      undo={(which) =>
        call(boardUndone, boardPath(place, `/changes/${encodeURIComponent(which)}/undo`), { method: "POST", body: {} })
      }
      run={(row) => row.run}
      cells={(row) => (
        <>
          <td>
            <Mark tone={row.after ? "accent" : "red"}>{row.action}</Mark>
          </td>
          <td class="fill">
            <Line>{`${row.name}: ${(row.after ?? row.before)?.description ?? ""}`}</Line>
          </td>
          <td class="soft">{row.actor}</td>
        </>
      )}
    />
  );
}
