// What the reduction of events into updates must remember from one event to the next.
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Todo } from "../../schema/todo.ts";

/** `printed`: the end of it so far. A call that is shown by its diff stays so, whatever it says while it runs. */
export type OpenCallView = { printed: string; hasDiff: boolean };

export type UpdateState = {
  cwd: string;
  /** How much of the message that streams was forwarded: when it settles, only the rest is owed. */
  streamed: { messageId: string; text: number; thought: number };
  /** Calls without a result. */
  open: ReadonlyMap<string, OpenCallView>;
  /** The call that each running agent was started by. */
  agents: ReadonlyMap<string, string>;
  todos: ReadonlyMap<string, Todo>;
  /** What all model calls cost together; undefined while no price is known. */
  cost: number | undefined;
};

/** What one event gives. */
export type Reduced = { state: UpdateState; updates: SessionUpdate[] };

export const noUpdates: UpdateState = {
  cwd: "",
  streamed: { messageId: "", text: 0, thought: 0 },
  open: new Map(),
  agents: new Map(),
  todos: new Map(),
  cost: undefined,
};

export const withEntry = <V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> =>
  new Map(map).set(key, value);

export function withoutEntry<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  if (!map.has(key)) return map;
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
