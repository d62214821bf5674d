// What was remembered for a message, read from the block that the model got with it.
import { optional } from "../../base/optional.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import type { BlockOf } from "./block.ts";

export function recallBlock({ id, timestamp: at, data }: Envelope<"user.message">): BlockOf<"recall">[] {
  if (data.recalled === undefined) return [];
  const scopes: { scope: string; count: number }[] = [];
  const items: string[] = [];
  for (const line of data.recalled.split("\n")) {
    const head = /^(Pins|Facts|Quotes)\b.*:$/.exec(line)?.[1]?.toLowerCase();
    const scope = scopes.at(-1);
    if (head) scopes.push({ scope: head, count: 0 });
    else if (line.startsWith("- ")) {
      items.push(line.slice(2));
      if (scope) scope.count++;
      else scopes.push({ scope: "facts", count: 1 });
    }
  }
  if (items.length === 0) return [];
  return [
    {
      id: `${id}.recall`,
      at,
      kind: "recall",
      state: "recalled",
      scopes,
      items,
      ...optional("durationMs", data.recalledMs),
      isPartial: data["recalledLate"] === true,
    },
  ];
}
