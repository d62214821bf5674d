// Messages as pi's model library has them: pi stores them, and so does Letta Code's local backend.
import type { ItemOrigin } from "../blocks.ts";
import type { ImportedItem } from "../contract.ts";
import { argsOf, recordsOf, resultText, textAt, textOf, typed } from "../read.ts";

export function itemsOf(
  message: Record<string, unknown>,
  id: string,
  origin: ItemOrigin,
  parent?: string,
): ImportedItem[] {
  const { role, content } = message;
  if (role === "user") {
    const text = typed(content);
    return text === "" ? [] : [{ ...origin, id, kind: "user", text, ...(parent ? { parent } : {}) }];
  }
  if (role === "assistant") {
    const text = textOf(recordsOf(content).filter(({ type }) => type === "text")).trim();
    const model = textAt(message, "model");
    const words: ImportedItem[] =
      text === "" ? [] : [{ ...origin, id, kind: "assistant", text, ...(model ? { model } : {}) }];
    const calls = recordsOf(content).filter(({ type }) => type === "toolCall");
    return [...words, ...calls.map((block, i) => callOf(block, `${id}:call${i}`, origin))];
  }
  const failed = message["isError"] === true;
  if (role === "toolResult")
    return [
      { ...origin, id, kind: "result", call: textAt(message, "toolCallId") ?? id, text: resultText(content), failed },
    ];
  // A command that the person ran.
  if (role !== "bashExecution") return [];
  const args = { command: message["command"] };
  const output = { text: resultText(message["output"]), failed: Number(message["exitCode"] ?? 0) !== 0 };
  return [
    { ...origin, id: `${id}:call`, kind: "call", call: id, name: "bash", args },
    { ...origin, id, kind: "result", call: id, ...output },
  ];
}

const callOf = (block: Record<string, unknown>, id: string, origin: ItemOrigin): ImportedItem => ({
  ...{ ...origin, id, kind: "call", call: textAt(block, "id") ?? id, name: textAt(block, "name") ?? "tool" },
  args: argsOf(block["arguments"]),
});
