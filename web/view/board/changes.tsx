// What changed on a board, newest first, with undo of one change or of a whole run.
import { useState } from "preact/hooks";
import { boardChangeList, boardUndone } from "../../../src/schema/api/board.ts";
import { address, type CallProblem, call } from "../../api/call.ts";
import { usePages } from "../../api/pages.ts";
import { Mark } from "../../part/form.tsx";
import { Failed, Loading, Trouble } from "../../part/state.tsx";
import { Line } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { type BoardAt, boardPath } from "./place.ts";

export function BoardChanges({ place }: { place: BoardAt }) {
  const [problem, setProblem] = useState<CallProblem>();
  const list = usePages(
    boardPath(place),
    (page, signal) => call(boardChangeList, address("/api/memory/board/changes", { ...place, ...page }), { signal }),
    (row) => String(row.id),
    ["board"],
  );
  const undo = async (which: string): Promise<void> => {
    const path = boardPath(place, `/changes/${encodeURIComponent(which)}/undo`);
    const answer = await call(boardUndone, path, { method: "POST", body: {} });
    setProblem(answer.ok ? undefined : answer.error);
    list.reload();
  };
  if (list.items.length === 0) {
    if (list.problem) return <Failed problem={list.problem} retry={list.reload} />;
    return list.loading ? <Loading /> : <p class="soft">Nothing was changed yet.</p>;
  }
  return (
    <div class="stack">
      {problem && <Trouble problem={problem} />}
      <div class="wide">
        <table>
          <tbody>
            {list.items.map((row) => (
              <tr key={row.id}>
                <td class="faint">
                  <When at={row.at} />
                </td>
                <td>
                  <Mark tone={row.after ? "accent" : "red"}>{row.action}</Mark>
                </td>
                <td class="fill">
                  <Line>{`${row.name}: ${(row.after ?? row.before)?.description ?? ""}`}</Line>
                </td>
                <td class="soft">{row.actor}</td>
                <td>
                  <button type="button" class="quiet" onClick={() => void undo(String(row.id))}>
                    Undo
                  </button>
                  {row.run && (
                    <button type="button" class="quiet" title={row.run} onClick={() => void undo(row.run ?? "")}>
                      Undo run
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {list.hasMore && (
        <p>
          <button type="button" onClick={list.more}>
            Show more
          </button>
        </p>
      )}
    </div>
  );
}
