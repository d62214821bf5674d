// One board: its items, what changed, and what other branches have.
import { useState } from "preact/hooks";
import { boardView } from "../../../src/schema/api/board.ts";
import { type CallProblem, call, nothing } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { params, setParams } from "../../app/route.ts";
import { Confirm } from "../../part/dialog.tsx";
import { plural } from "../../part/figure.tsx";
import { Mark, Tabs } from "../../part/form.tsx";
import { Loaded } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { Adopt } from "./adopt.tsx";
import { BoardChanges } from "./changes.tsx";
import { EditItem } from "./edit-item.tsx";
import { type BoardAt, boardPath, itemPath } from "./place.ts";

type Item = (typeof boardView)["_output"]["items"][number];

export function BoardDetail({ place, others }: { place: BoardAt; others: readonly BoardAt[] }) {
  const { tab = "items" } = params.value;
  const board = useResource(boardPath(place), (signal) => call(boardView, boardPath(place), { signal }), [
    "board",
    "memory",
  ]);
  const [editing, setEditing] = useState<Item | "new">();
  const [removing, setRemoving] = useState<Item>();
  const remove = async ({ src, name, version }: Item): Promise<CallProblem | undefined> => {
    const answer = await call(nothing, itemPath(place, { src, name }), { method: "DELETE", ifMatch: `"v${version}"` });
    board.reload();
    return answer.ok ? undefined : answer.error;
  };
  return (
    <Loaded of={board}>
      {({ items, capacity }) => (
        <div class="detail">
          <header class="head">
            <div>
              <h2>{place.repository}</h2>
              <p class="soft">
                {place.branch} · {items.length}/{capacity}
              </p>
            </div>
            <button type="button" class="primary" disabled={items.length >= capacity} onClick={() => setEditing("new")}>
              Add
            </button>
          </header>
          <Tabs
            label="Parts of the board"
            value={tab}
            options={[
              ["items", "Items"],
              ["changes", "Changes"],
              ["adopt", "Other branches"],
            ]}
            onChange={(next) => setParams({ tab: next === "items" ? undefined : next })}
          />
          {tab === "items" && items.length === 0 && <p class="soft">This board is empty.</p>}
          {tab === "items" && (
            <ul class="items">
              {items.map((item) => (
                <li key={`${item.src}/${item.name}`}>
                  <div class="head">
                    <h3>
                      <Text>{item.name}</Text> <Mark tone={item.src === "user" ? "accent" : "plain"}>{item.src}</Mark>
                    </h3>
                    <span class="inline">
                      <button type="button" class="quiet" onClick={() => setEditing(item)}>
                        Edit
                      </button>
                      <button type="button" class="quiet" onClick={() => setRemoving(item)}>
                        Delete
                      </button>
                    </span>
                  </div>
                  <p>
                    <Text>{item.description}</Text>
                  </p>
                  <p class="faint">
                    read {plural(item.readCount, "time")}, seen by {plural(item.count, "session")} ·{" "}
                    <When at={item.updatedAt} /> · {item.author}
                  </p>
                </li>
              ))}
            </ul>
          )}
          {tab === "changes" && <BoardChanges place={place} />}
          {tab === "adopt" && <Adopt place={place} others={others} own={items} adopted={board.reload} />}
          {editing && (
            <EditItem
              place={place}
              item={editing === "new" ? undefined : editing}
              close={() => setEditing(undefined)}
              changed={board.reload}
            />
          )}
          {removing && (
            <Confirm
              title={`Delete “${removing.name}”?`}
              action="Delete"
              onClose={() => setRemoving(undefined)}
              run={() => remove(removing)}
            >
              Later sessions of this branch will not see it. The tab Changes can bring it back.
            </Confirm>
          )}
        </div>
      )}
    </Loaded>
  );
}
