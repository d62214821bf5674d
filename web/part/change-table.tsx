// What was changed, newest first: a table with undo, and more on request.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { ApiResult, CallProblem } from "../api/call.ts";
import { Failed, Loading, Trouble } from "./state.tsx";
import { When } from "./time.tsx";

type Change = { id: number; at: string };
type ChangeTableProps<T extends Change> = {
  list: {
    items: readonly T[];
    problem?: CallProblem;
    loading: boolean;
    hasMore: boolean;
    more(): void;
    reload(): void;
  };
  empty: JSX.Element;
  undo(which: string): Promise<ApiResult<unknown>>;
  /** The cells between the time and the button. */
  cells(row: T): ComponentChildren;
  /** The run that the change was a part of, which can be undone as a whole. */
  run?(row: T): string | null | undefined;
};

export function ChangeTable<T extends Change>({ list, empty, undo, cells, run }: ChangeTableProps<T>) {
  const [problem, setProblem] = useState<CallProblem>();
  const takeBack = async (which: string): Promise<void> => {
    const answer = await undo(which);
    setProblem(answer.ok ? undefined : answer.error);
    list.reload();
  };
  if (list.items.length === 0) {
    if (list.problem) return <Failed problem={list.problem} retry={list.reload} />;
    return list.loading ? <Loading /> : empty;
  }
  return (
    <div class="stack">
      {problem && <Trouble problem={problem} />}
      <div class="wide">
        <table>
          <tbody>
            {list.items.map((row) => {
              const whole = run?.(row);
              return (
                <tr key={row.id}>
                  <td class="faint">
                    <When at={row.at} />
                  </td>
                  {cells(row)}
                  <td>
                    <button type="button" class="quiet" onClick={() => void takeBack(String(row.id))}>
                      Undo
                    </button>
                    {whole && (
                      <button type="button" class="quiet" title={whole} onClick={() => void takeBack(whole)}>
                        Undo run
                      </button>
                    )}
                  </td>
                </tr>
              );
            })}
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
