// Every pin in force: what stands before each message of a session, a repository or the user.
import { useState } from "preact/hooks";
import type * as z from "zod";
import { pinChanged, pinList } from "../../../src/schema/api/graph.ts";
import { call } from "../../api/call.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import { href } from "../../app/route.ts";
import { Loaded } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";

const ORIGINS = { hand: "by hand", typed: "from what you typed", promotion: "from a promotion" } as const;

type PinResource = Resource<z.infer<typeof pinList>>;

/** They change with promotions as well. */
export const usePins = (): PinResource =>
  useResource("pins", (signal) => call(pinList, "/api/graph/pins", { signal }), ["graph", "session"]);

export function Pins({ list, ended }: { list: PinResource; ended(): void }) {
  const [problem, setProblem] = useState("");
  const end = async (id: string): Promise<void> => {
    const answer = await call(pinChanged, `/api/graph/pins/${encodeURIComponent(id)}`, { method: "DELETE" });
    setProblem(answer.ok ? "" : `${answer.error.message} ${answer.error.hint}`);
    list.reload();
    ended();
  };
  return (
    <section class="section">
      <h2>Pins in force</h2>
      {problem && <p class="trouble">{problem}</p>}
      <Loaded of={list}>
        {({ pins }) =>
          pins.length === 0 ? (
            <p class="soft">
              None. <code>/pin TEXT</code> in a session makes one.
            </p>
          ) : (
            <div class="wide">
              <table>
                <tbody>
                  {pins.map((one) => (
                    <tr key={one.id}>
                      <td class="faint">
                        <When at={one.createdAt} />
                      </td>
                      <td class="fill">
                        <Text>{one.text}</Text>
                      </td>
                      <td class="soft">{one.level === "repository" ? one.owner : one.level}</td>
                      <td class="faint">
                        {one.session ? (
                          <a href={href("sessions", { id: one.session })}>{ORIGINS[one.origin]}</a>
                        ) : (
                          ORIGINS[one.origin]
                        )}
                      </td>
                      <td class="actions">
                        <button type="button" class="quiet" onClick={() => void end(one.id)}>
                          Unpin
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </section>
  );
}
