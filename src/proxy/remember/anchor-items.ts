// What stored items of a client's history say for a ledger: prompts, answers, calls out of their readable text, results.
import { parseJson } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import type { Happening } from "../../context/ledger/happening.ts";
import { withoutReminders } from "../history/blocks.ts";
import type { ProxyItem } from "../store/item-row.ts";

export function happeningsOfStored(items: readonly ProxyItem[]): Happening[] {
  return items.flatMap((stored): Happening[] => {
    const { turn, item, role, type, callId } = stored;
    const place = { turn, item };
    if (type === "tool_result") {
      const failed = stored.text.startsWith("[error]") ? { failed: true } : {};
      return [{ ...place, type: "result", callId, text: stored.text, ...failed }];
    }
    if (type === "message" && role === "user")
      return item === 1 && turn > 0 ? [{ ...place, type: "prompt", text: saidIn(stored) }] : [];
    if (role !== "assistant" || (type !== "message" && type !== "tool_call")) return [];
    const { calls, prose } = callsIn(stored);
    return [
      ...(type === "message" && prose !== "" ? [{ ...place, type: "answer" as const, text: prose }] : []),
      // Only the first call's id is stored; the others are told apart by their order.
      ...calls.map((call, at) => ({
        ...place,
        type: "call" as const,
        ...call,
        ...optional("callId", at === 0 ? callId : undefined),
      })),
    ];
  });
}

/** What the user wrote, without what the client put beside it. */
export const saidIn = ({ text }: Pick<ProxyItem, "text">): string => withoutReminders(text).trim();

type ReadCall = { tool: string; args: unknown };

const CALL = /^([\w.:-]{1,100}) (?=\{)/gm;
const READ_CHARS = 200_000;

/** Each call stands on a line of its own: its name, then its input. */
function callsIn({ text: whole, tool }: ProxyItem): { calls: ReadCall[]; prose: string } {
  const text = whole.slice(0, READ_CHARS);
  const calls: ReadCall[] = [];
  let prose = "";
  let end = 0;
  for (const match of text.matchAll(CALL)) {
    if (match.index < end) continue;
    const input = objectAt(text, match.index + match[0].length);
    if (!input) continue;
    prose += text.slice(end, match.index);
    end = input.end;
    calls.push({ tool: match[1] ?? "", args: input.value });
  }
  prose += text.slice(end);
  const name = tool === undefined ? -1 : `\n${prose}`.indexOf(`\n${tool} `);
  if (tool === undefined || calls.length > 0 || name === -1) return { calls, prose: prose.trim() };
  return { calls: [{ tool, args: prose.slice(name + tool.length + 1) }], prose: prose.slice(0, name).trim() };
}

/** The object that begins here. Readable text has real line ends inside of JSON texts, which JSON has not. */
function objectAt(text: string, start: number): { value: unknown; end: number } | undefined {
  let json = "";
  let depth = 0;
  let inText = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? "";
    if (inText && char === "\\") json += char + (text[++at] ?? "");
    else if (inText && (char === "\n" || char === "\t")) json += char === "\n" ? "\\n" : "\\t";
    else json += char;
    if (char === '"') inText = !inText;
    if (inText) continue;
    if (char === "{" || char === "[") depth++;
    if ((char === "}" || char === "]") && --depth === 0) {
      const read = parseJson(json);
      return read.ok ? { value: read.value, end: at + 1 } : undefined;
    }
  }
  return undefined;
}
