// What happened in a stretch of history, taken from its messages, calls and results: the material of a summary.
import { isRecord } from "../../base/json.ts";
import { clip, firstLine } from "../../base/text.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import { statements } from "./statements.ts";
import { isOwnWords } from "./wording.ts";

export type Telling = { turn: number; text: string; score: number };
export type SessionFacts = {
  prompts: { turn: number; text: string }[];
  /** True when the newest prompt got no final text. */
  unanswered: boolean;
  /** One line a deed, oldest first. */
  deeds: string[];
  details: Telling[];
  /** What the user ordered for good. */
  standing: Telling[];
  touches: Map<string, { count: number; operation: string; turn: number }>;
  planText: string;
  /** Contents of earlier compaction messages. */
  former: string[];
};

const OPERATION: Record<string, string> = { view: "viewed", create: "created", edit: "edited" };
const STANDING =
  /\b(?:always|never|must(?: not)?|from now on|do not|don['’]t|prefer|make sure|whenever|only use|instead of|no longer)\b/i;
const SIGNS: [RegExp, number][] = [
  [
    /\b(?:decid\w+|decision|chose|chosen|agreed|settled|we (?:will|use)|going with|switch(?:ed)? to|because|instead)\b/i,
    3,
  ],
  [
    /\b(?:must|never|always|require[sd]?|cannot|can['’]t|only|at most|at least|limit|constraint|forbidden|not allowed)\b/i,
    3,
  ],
  [/\b(?:error|exception|fail(?:s|ed|ure|ing)?|crash\w*|broken|bug|denied|timeout|ENOENT|E[A-Z]{4,})\b/i, 2],
  [/\bv?\d+\.\d+(?:\.\d+)*\b|\bversion\b/i, 2],
  [/\d/, 1],
];
const ERROR_LINE = /\b(?:error|exception|fail(?:ed|ure)?|cannot|not found|denied|panic|traceback)\b/i;

export function sessionFacts(items: readonly ContextItem<Message>[]): SessionFacts {
  const facts: SessionFacts = {
    prompts: [],
    unanswered: false,
    deeds: [],
    details: [],
    standing: [],
    touches: new Map(),
    planText: "",
    former: [],
  };
  const calls = new Map<string, { name: string; args: Record<string, unknown> }>();
  for (const { raw, kind, isPrompt, turn } of items) {
    if (kind === "compaction") facts.former.push(raw.content);
    else if (raw.role === "tool")
      readResult(facts, calls.get(raw.toolCallId) ?? { name: raw.toolName, args: {} }, raw, turn);
    else if (raw.role === "assistant") {
      for (const call of raw.toolRequests)
        calls.set(call.toolCallId, { name: call.name, args: isRecord(call.arguments) ? call.arguments : {} });
      if (raw.toolRequests.length === 0 && raw.content.trim() !== "") facts.unanswered = false;
      if (!isOwnWords(raw.content)) addDetails(facts, raw.content, turn, 0);
    } else if (isPrompt && raw.content.trim() !== "") {
      facts.prompts.push({ turn, text: raw.content.trim() });
      facts.unanswered = true;
      addDetails(facts, raw.content, turn, 1);
      for (const text of statements(raw.content))
        if (STANDING.test(text)) facts.standing.push({ turn, text: clip(text, 300), score: 1 });
    }
  }
  return facts;
}

function readResult(
  facts: SessionFacts,
  call: { name: string; args: Record<string, unknown> },
  result: { content: string; isError: boolean },
  turn: number,
): void {
  const path = call.args["path"];
  const operation = OPERATION[call.name];
  if (operation !== undefined && typeof path === "string" && !result.isError) {
    facts.touches.set(path, { count: (facts.touches.get(path)?.count ?? 0) + 1, operation, turn });
    if (call.name !== "view") addDeed(facts, `[t${turn}] ${operation} ${path}`);
    const planned = call.args["file_text"] ?? call.args["new_str"];
    if (/(?:^|\/)plan\.md$/.test(path) && typeof planned === "string") facts.planText = planned;
  }
  if (call.name === "bash") {
    addDeed(facts, `[t${turn}] ran \`${firstLine(String(call.args["command"] ?? ""), 160)}\`: ${exitOf(result)}`);
  }
  const failed = result.isError || !/^(?:exit 0|no exit code)/.test(exitOf(result));
  const error =
    failed || call.name === "bash" ? result.content.split("\n").find((line) => ERROR_LINE.test(line)) : undefined;
  if (failed && error !== undefined)
    addDetail(facts, { turn, text: `${call.name}: ${clip(error.trim(), 200)}`, score: 2 });
}

function exitOf({ content, isError }: { content: string; isError: boolean }): string {
  const code = /\bexit(?:ed)?(?: with)?(?: (?:code|status))?[:=\s]+(-?\d+)\b/i.exec(content)?.[1];
  if (code !== undefined) return `exit ${code}`;
  return isError ? `failed (${firstLine(content, 80)})` : "no exit code stated";
}

function addDeed(facts: SessionFacts, deed: string): void {
  if (facts.deeds.at(-1) !== deed) facts.deeds.push(deed);
}

function addDetails(facts: SessionFacts, text: string, turn: number, bonus: number): void {
  for (const sentence of statements(text)) {
    const score = SIGNS.reduce((sum, [sign, worth]) => sum + (sign.test(sentence) ? worth : 0), 0);
    if (score > 0) addDetail(facts, { turn, text: clip(sentence, 300), score: score + bonus });
  }
}

function addDetail(facts: SessionFacts, detail: Telling): void {
  if (!facts.details.some((known) => known.text === detail.text)) facts.details.push(detail);
}
