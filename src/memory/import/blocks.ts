// Messages made of content blocks as Anthropic's API has them: several clients store what they sent in that form.
import type { ImportedItem } from "./contract.ts";
import { argsOf, recordsOf, resultText, textAt, textOf, typed } from "./read.ts";

/** Where and when a message was written. */
export type ItemOrigin = Pick<ImportedItem, "line" | "time" | "agent">;

/** Results of tools, then what the person typed; `isTyped` says of a text whether a person wrote it. */
export function userItems(
  content: unknown,
  id: string,
  origin: ItemOrigin,
  isTyped: (text: string) => boolean = () => true,
): ImportedItem[] {
  const results = recordsOf(content).filter(({ type }) => type === "tool_result");
  const items = results.map((block, i): ImportedItem => {
    const call = textAt(block, "tool_use_id") ?? "";
    const text = resultText(block["content"]);
    return { ...origin, id: `${id}:${i}`, kind: "result", call, text, failed: block["is_error"] === true };
  });
  const text = typed(content);
  if (text !== "" && isTyped(text)) items.push({ ...origin, id, kind: "user", text });
  return items;
}

/** What the model said, then the tools that it called. */
export function assistantItems(
  content: unknown,
  id: string,
  origin: ItemOrigin,
  model: string | undefined,
): ImportedItem[] {
  const text = textOf(content).trim();
  const items: ImportedItem[] =
    text === "" ? [] : [{ ...origin, id, kind: "assistant", text, ...(model === undefined ? {} : { model }) }];
  const calls = recordsOf(content).filter(({ type }) => type === "tool_use");
  for (const [i, block] of calls.entries()) {
    const [call, name] = [textAt(block, "id") ?? `${id}:${i}`, textAt(block, "name") ?? "tool"];
    items.push({ ...origin, id: `${id}:call${i}`, kind: "call", call, name, args: argsOf(block["input"]) });
  }
  return items;
}
