// Items of OpenAI's Responses API as Codex stores them.
import { isRecord, parseJson } from "../../../base/json.ts";
import type { ItemOrigin } from "../blocks.ts";
import type { ImportedItem } from "../contract.ts";
import { argsOf, recordAt, resultText, textAt, textOf, typed } from "../read.ts";

/** Texts that Codex sends in the person's name. */
const NOT_TYPED =
  /^(?:# AGENTS\.md instructions for |<(?:user_instructions|turn_aborted|skill|user_shell_command|permissions|subagent_notification)\b)/;

export function itemsOf(payload: Record<string, unknown>, id: string, origin: ItemOrigin): ImportedItem[] {
  const call = textAt(payload, "call_id") ?? id;
  switch (payload["type"]) {
    case "message": {
      const { role, content } = payload;
      if (role === "assistant") {
        const text = textOf(content).trim();
        return text === "" ? [] : [{ ...origin, id, kind: "assistant", text }];
      }
      const text = role === "user" ? typed(content) : "";
      // The instructions are a block with a heading before it.
      return text === "" || NOT_TYPED.test(textOf(content).trimStart()) ? [] : [{ ...origin, id, kind: "user", text }];
    }
    case "function_call":
      return [
        {
          ...origin,
          id,
          kind: "call",
          call,
          name: textAt(payload, "name") ?? "function",
          args: argumentsOf(payload["arguments"]),
        },
      ];
    case "custom_tool_call":
      return [
        {
          ...origin,
          id,
          kind: "call",
          call,
          name: textAt(payload, "name") ?? "tool",
          args: { input: payload["input"] },
        },
      ];
    case "local_shell_call":
      return [{ ...origin, id, kind: "call", call, name: "shell", args: argsOf(recordAt(payload, "action")) }];
    case "web_search_call":
      return [{ ...origin, id, kind: "call", call, name: "web_search", args: argsOf(payload["action"]) }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ ...origin, id, kind: "result", call, ...outputOf(payload["output"]) }];
    default:
      return [];
  }
}

/** They are JSON in a text. */
function argumentsOf(value: unknown): unknown {
  const parsed = typeof value === "string" ? parseJson(value) : { ok: false as const };
  return argsOf(parsed.ok ? parsed.value : value);
}

/** A text, blocks of text, or JSON in a text with the output and the exit code of a command. */
function outputOf(output: unknown): { text: string; failed: boolean } {
  if (isRecord(output)) return { text: resultText(output["content"] ?? output), failed: output["success"] === false };
  const parsed = typeof output === "string" && output.startsWith('{"output"') ? parseJson(output) : undefined;
  if (!parsed?.ok || !isRecord(parsed.value)) return { text: resultText(output), failed: false };
  const code = recordAt(parsed.value, "metadata")["exit_code"];
  return { text: resultText(parsed.value["output"]), failed: typeof code === "number" && code !== 0 };
}
