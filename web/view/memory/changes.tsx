// Every change of a memory, newest first, with undo.
import { isRecord } from "../../../src/base/json.ts";
import { memoryChangeList, memoryUndone } from "../../../src/schema/api/memory.ts";
import { address, call } from "../../api/call.ts";
import { usePages } from "../../api/pages.ts";
import { href } from "../../app/route.ts";
import { ChangeTable } from "../../part/change-table.tsx";
import { Mark } from "../../part/form.tsx";
import { Empty } from "../../part/state.tsx";
import { Line } from "../../part/text.tsx";

const factOf = (value: unknown): string => (isRecord(value) && typeof value["fact"] === "string" ? value["fact"] : "");

/** The one user of a home is whoever looks at this page. */
const whoIs = (actor: string): string => (actor === "user:local" || actor === "user" ? "you" : actor);

export function MemoryChanges() {
  const list = usePages(
    "changes",
    (page, signal) => call(memoryChangeList, address("/api/memory/changes", { all: "true", ...page }), { signal }),
    (row) => String(row.id),
    ["memory"],
  );
  return (
    <ChangeTable
      list={list}
      empty={
        <Empty title="No changes yet">
          Each time a memory is stored, edited, voted on or deleted, it is listed here and can be undone.
        </Empty>
      }
      undo={(id) => call(memoryUndone, `/api/memory/changes/${id}/undo`, { method: "POST" })}
      cells={(row) => (
        <>
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
          <td class="soft">{whoIs(typeof row.actor === "string" ? row.actor : row.actor.name || row.actor.kind)}</td>
        </>
      )}
    />
  );
}
