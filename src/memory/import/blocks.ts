// Messages made of content blocks as Anthropic's API has them: several clients store what they sent in that form.
import type { ImportedItem, ItemOrigin } from "./contract.ts";
import { answerItems, callItem, promptItems } from "./part.ts";
import { recordsOf, resultText, textAt, textOf, typed } from "./read.ts";

/** Results of tools, then what the person typed; `isTyped` says of a text whether a person wrote it. */
export function userItems(
  content: unknown,
  id: string,
  origin: ItemOrigin,
  { isTyped = () => true, parent }: { isTyped?: (text: string) => boolean; parent?: string | undefined } = {},
): ImportedItem[] {
  const results = recordsOf(content).filter(({ type }) => type === "tool_result");
  const items = results.map((block, i): ImportedItem => {
    const call = textAt(block, "tool_use_id") ?? "";
    const text = resultText(block["content"]);
    return { ...origin, id: `${id}:${i}`, kind: "result", call, text, failed: block["is_error"] === true };
  });
  const text = typed(content);
  return isTyped(text) ? [...items, ...promptItems(text, id, origin, parent)] : items;
}

/** What the model said, then the tools that it called. */
export function assistantItems(
  content: unknown,
  id: string,
  origin: ItemOrigin,
  model: string | undefined,
): ImportedItem[] {
  const calls = recordsOf(content).filter(({ type }) => type === "tool_use");
  return [
    ...answerItems(textOf(content).trim(), id, origin, model),
    ...calls.map((block, i) =>
      callItem(`${id}:call${i}`, origin, {
        call: textAt(block, "id"),
        name: textAt(block, "name"),
        args: block["input"],
      }),
    ),
  ];
}
