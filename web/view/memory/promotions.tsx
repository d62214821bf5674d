// What was promoted from a conversation to a lasting fact, with undo.
import { useState } from "preact/hooks";
import { promotionList, promotionUndone } from "../../../src/schema/api/graph.ts";
import { type CallProblem, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { Confirm } from "../../part/dialog.tsx";
import { plural } from "../../part/figure.tsx";
import { Mark } from "../../part/form.tsx";
import { Empty, Loaded } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";

export function Promotions() {
  const list = useResource("promotions", (signal) => call(promotionList, "/api/graph/promotions", { signal }), [
    "graph",
  ]);
  const [undoing, setUndoing] = useState<string>();
  const [outcome, setOutcome] = useState("");
  const undo = async (id: string): Promise<CallProblem | undefined> => {
    const answer = await call(promotionUndone, `/api/graph/promotions/${encodeURIComponent(id)}/undo`, {
      method: "POST",
    });
    if (!answer.ok) return answer.error;
    const { facts, pins } = answer.value;
    setOutcome(`Undone: ${plural(facts, "fact")} and ${plural(pins, "pin")} removed.`);
    list.reload();
    return undefined;
  };
  return (
    <Loaded of={list}>
      {({ promotions }) =>
        promotions.length === 0 ? (
          <Empty
            title="No promotions yet"
            command={'everlong promote --scope workspace --kind decision "We use PostgreSQL 17"'}
          >
            Lines such as “preference: …” that became lasting facts are listed here.
          </Empty>
        ) : (
          <div class="stack">
            {outcome && <p role="status">{outcome}</p>}
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
                    <td>
                      <button type="button" class="quiet" onClick={() => setUndoing(one.id)}>
                        Undo
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
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
