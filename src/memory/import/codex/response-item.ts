// Items of OpenAI's Responses API as Codex stores them.
import { isRecord, parseJson } from "../../../base/json.ts";
import type { ImportedItem, ItemOrigin } from "../contract.ts";
import { answerItems, callItem, promptItems } from "../part.ts";
import { recordAt, resultText, textAt, textOf, typed } from "../read.ts";

/** Texts that Codex sends in the person's name. */
const NOT_TYPED =
  /^(?:# AGENTS\.md instructions for |<(?:user_instructions|turn_aborted|skill|user_shell_command|permissions|subagent_notification)\b)/;

export function itemsOf(payload: Record<string, unknown>, id: string, origin: ItemOrigin): ImportedItem[] {
  const call = textAt(payload, "call_id");
  const called = (name: string | undefined, args: unknown): ImportedItem[] => [
    callItem(id, origin, { call, name, args }),
  ];
  switch (payload["type"]) {
    case "message":
      return messageItems(payload, id, origin);
    case "function_call":
      return called(textAt(payload, "name"), argumentsOf(payload["arguments"]));
    case "custom_tool_call":
      return called(textAt(payload, "name"), { input: payload["input"] });
    case "local_shell_call":
      return called("shell", recordAt(payload, "action"));
    case "web_search_call":
      return called("web_search", payload["action"]);
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ ...origin, id, kind: "result", call: call ?? id, ...outputOf(payload["output"]) }];
    default:
      return [];
  }
}

function messageItems({ role, content }: Record<string, unknown>, id: string, origin: ItemOrigin): ImportedItem[] {
  if (role === "assistant") return answerItems(textOf(content).trim(), id, origin);
  // The instructions are a block with a heading before it.
  const isTyped = role === "user" && !NOT_TYPED.test(textOf(content).trimStart());
  return isTyped ? promptItems(typed(content), id, origin) : [];
}

/** They are JSON in a text. */
function argumentsOf(value: unknown): unknown {
  const parsed = typeof value === "string" ? parseJson(value) : { ok: false as const };
  return parsed.ok ? parsed.value : value;
}

/** A text, blocks of text, or JSON in a text with the output and the exit code of a command. */
function outputOf(output: unknown): { text: string; failed: boolean } {
  if (isRecord(output)) return { text: resultText(output["content"] ?? output), failed: output["success"] === false };
  const parsed = typeof output === "string" && output.startsWith('{"output"') ? parseJson(output) : undefined;
  if (!parsed?.ok || !isRecord(parsed.value)) return { text: resultText(output), failed: false };
  const code = recordAt(parsed.value, "metadata")["exit_code"];
  return { text: resultText(parsed.value["output"]), failed: typeof code === "number" && code !== 0 };
}
