// What was promoted from a conversation to a lasting fact, with undo.
import { useState } from "preact/hooks";
import { pinChanged, promotionList, promotionUndone } from "../../../src/schema/api/graph.ts";
import { type CallProblem, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { Confirm } from "../../part/dialog.tsx";
import { plural } from "../../part/figure.tsx";
import { Mark } from "../../part/form.tsx";
import { Empty, Loaded } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { Pins, usePins } from "./pins.tsx";

export function Promotions() {
  const list = useResource("promotions", (signal) => call(promotionList, "/api/graph/promotions", { signal }), [
    "graph",
  ]);
  const pins = usePins();
  const [undoing, setUndoing] = useState<string>();
  const [outcome, setOutcome] = useState("");
  const undo = async (id: string): Promise<CallProblem | undefined> => {
    const answer = await call(promotionUndone, `/api/graph/promotions/${encodeURIComponent(id)}/undo`, {
      method: "POST",
    });
    if (!answer.ok) return answer.error;
    const { facts, pins: ended } = answer.value;
    setOutcome(`Undone: ${plural(facts, "fact")} and ${plural(ended, "pin")} removed.`);
    list.reload();
    pins.reload();
    return undefined;
  };
  const pin = async (id: string, on: boolean): Promise<void> => {
    const path = `/api/graph/promotions/${encodeURIComponent(id)}/pin`;
    const answer = await call(pinChanged, path, { method: on ? "PUT" : "DELETE" });
    setOutcome(
      !answer.ok
        ? `${answer.error.message} ${answer.error.hint}`
        : on
          ? "Pinned: added before every message there."
          : "Unpinned.",
    );
    list.reload();
    pins.reload();
  };
  return (
    <Loaded of={list}>
      {({ promotions }) =>
        promotions.length === 0 ? (
          <>
            <Empty
              title="No promotions yet"
              command={'everlong promote --scope workspace --kind decision "We use PostgreSQL 17"'}
            >
              Lines such as “preference: …” that became lasting facts are listed here.
            </Empty>
            <Pins list={pins} ended={list.reload} />
          </>
        ) : (
          <div class="stack">
            {outcome && <p role="status">{outcome}</p>}
            <div class="wide">
              <table>
                <tbody>
                  {promotions.map((one) => (
                    <tr key={one.id}>
                      <td class="faint">
                        <When at={one.at} />
                      </td>
                      <td>
                        <Mark tone="accent">{one.kind}</Mark>
                      </td>
                      <td class="fill">
                        <Text>{one.text}</Text>
                      </td>
                      <td class="soft">
                        {one.scope}
                        {one.auto && ", by itself"}
                      </td>
                      <td>
                        <Mark tone={one.state === "parked" ? "red" : "plain"}>{one.state}</Mark>
                      </td>
                      <td class="actions">
                        <button
                          type="button"
                          class="quiet"
                          aria-pressed={one.pin !== null}
                          title="A pin is added before every message where it applies."
                          onClick={() => void pin(one.id, one.pin === null)}
                        >
                          {one.pin === null ? "Pin" : "Unpin"}
                        </button>
                        <button type="button" class="quiet" onClick={() => setUndoing(one.id)}>
                          Undo
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <Pins list={pins} ended={list.reload} />
            {undoing && (
              <Confirm
                title="Undo this promotion?"
                action="Undo"
                onClose={() => setUndoing(undefined)}
                run={() => undo(undoing)}
              >
                Its facts and pins are removed. What was said in the conversation stays in its log.
              </Confirm>
            )}
          </div>
        )
      }
    </Loaded>
  );
}
