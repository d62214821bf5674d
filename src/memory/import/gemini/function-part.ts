// Calls and results of tools as parts of a message in Gemini's form.
import { isRecord } from "../../../base/json.ts";
import type { ImportedItem, ItemOrigin } from "../contract.ts";
import { callItem } from "../part.ts";
import { recordAt, recordsOf, resultText, textAt } from "../read.ts";

export const callsIn = (parts: unknown, id: string, origin: ItemOrigin): ImportedItem[] =>
  recordsOf(parts)
    .map((part) => part["functionCall"])
    .filter(isRecord)
    .map((call, i) =>
      callItem(`${id}:call${i}`, origin, { call: textAt(call, "id"), name: textAt(call, "name"), args: call["args"] }),
    );

export const resultsIn = (parts: unknown, id: string, origin: ItemOrigin): ImportedItem[] =>
  recordsOf(parts)
    .map((part) => part["functionResponse"])
    .filter(isRecord)
    .map((response, i) => ({
      ...{ ...origin, id: `${id}:${i}`, kind: "result", call: textAt(response, "id") ?? id, ...responseText(response) },
    }));

/** What a function gave: its output, its error, or all that it said. */
export function responseText(response: Record<string, unknown>): { text: string; failed: boolean } {
  const answer = recordAt(response, "response");
  const { output, error } = answer;
  if (error !== undefined) return { text: resultText(error), failed: true };
  return { text: resultText(output ?? (Object.keys(answer).length > 0 ? answer : undefined)), failed: false };
}
