// Every change of a memory, newest first, with undo.
import { useState } from "preact/hooks";
import { isRecord } from "../../../src/base/json.ts";
import { memoryChangeList, memoryUndone } from "../../../src/schema/api/memory.ts";
import { address, type CallProblem, call } from "../../api/call.ts";
import { usePages } from "../../api/pages.ts";
import { href } from "../../app/route.ts";
import { Mark } from "../../part/form.tsx";
import { Empty, Failed, Loading, Trouble } from "../../part/state.tsx";
import { Line } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";

const factOf = (value: unknown): string => (isRecord(value) && typeof value["fact"] === "string" ? value["fact"] : "");

/** The one user of a home is whoever looks at this page. */
const whoIs = (actor: string): string => (actor === "user:local" || actor === "user" ? "you" : actor);

export function MemoryChanges() {
  const [problem, setProblem] = useState<CallProblem>();
  const list = usePages(
    "changes",
    (page, signal) => call(memoryChangeList, address("/api/memory/changes", { all: "true", ...page }), { signal }),
    (row) => String(row.id),
    ["memory"],
  );
  const undo = async (id: number): Promise<void> => {
    const answer = await call(memoryUndone, `/api/memory/changes/${id}/undo`, { method: "POST" });
    setProblem(answer.ok ? undefined : answer.error);
    list.reload();
  };
  if (list.items.length === 0) {
    if (list.problem) return <Failed problem={list.problem} retry={list.reload} />;
    if (list.loading) return <Loading />;
    return (
      <Empty title="No changes yet">
        Each time a memory is stored, edited, voted on or deleted, it is listed here and can be undone.
      </Empty>
    );
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
                  <Mark tone={row.action === "delete" ? "red" : row.action === "store" ? "accent" : "plain"}>
                    {row.action}
                  </Mark>
                </td>
                <td class="fill">
                  <a href={href("memory", { id: row.memory })}>
                    <Line>{factOf(row.after) || factOf(row.before) || row.memory}</Line>
                  </a>
                  {row.action === "edit" && factOf(row.before) !== factOf(row.after) && (
                    <Line class="faint">{`was: ${factOf(row.before)}`}</Line>
                  )}
                </td>
                <td class="soft">
                  {whoIs(typeof row.actor === "string" ? row.actor : row.actor.name || row.actor.kind)}
                </td>
                <td>
                  <button type="button" class="quiet" onClick={() => void undo(row.id)}>
                    Undo
                  </button>
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
