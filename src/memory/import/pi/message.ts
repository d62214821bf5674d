// Messages as pi's model library has them: pi stores them, and so does Letta Code's local backend.
import type { ImportedItem, ItemOrigin } from "../contract.ts";
import { answerItems, callItem, promptItems } from "../part.ts";
import { recordsOf, resultText, textAt, textOf, typed } from "../read.ts";

export function itemsOf(
  message: Record<string, unknown>,
  id: string,
  origin: ItemOrigin,
  parent?: string,
): ImportedItem[] {
  const { role, content } = message;
  switch (role) {
    case "user":
      return promptItems(typed(content), id, origin, parent);
    case "assistant": {
      const blocks = recordsOf(content);
      const text = textOf(blocks.filter(({ type }) => type === "text")).trim();
      const calls = blocks.filter(({ type }) => type === "toolCall");
      return [
        ...answerItems(text, id, origin, textAt(message, "model")),
        ...calls.map((block, i) => {
          const [call, name, args] = [textAt(block, "id"), textAt(block, "name"), block["arguments"]];
          return callItem(`${id}:call${i}`, origin, { call, name, args });
        }),
      ];
    }
    case "toolResult": {
      const [call, failed] = [textAt(message, "toolCallId") ?? id, message["isError"] === true];
      return [{ ...origin, id, kind: "result", call, text: resultText(content), failed }];
    }
    // A command that the person ran.
    case "bashExecution": {
      const output = { text: resultText(message["output"]), failed: Number(message["exitCode"] ?? 0) !== 0 };
      return [
        callItem(`${id}:call`, origin, { call: id, name: "bash", args: { command: message["command"] } }),
        { ...origin, id, kind: "result", call: id, ...output },
      ];
    }
    default:
      return [];
  }
}
