// What a stretch of history shows, as material for the built-in summary: its prompts, its ledger and its telling sentences.
import { isRecord } from "../../base/json.ts";
import { clip } from "../../base/text.ts";
import { statements } from "../../model/offline/statements.ts";
import { isOwnWords } from "../../model/offline/wording.ts";
import { readCall } from "../ledger/call.ts";
import { happeningsOfItems } from "../ledger/from-log.ts";
import { comesAfter, type LedgerPlace } from "../ledger/happening.ts";
import { emptyLedger, foldLedger, type SessionLedger } from "../ledger/ledger.ts";
import { ledgerEntries } from "../ledger/render.ts";
import type { SessionItem } from "./items.ts";

type Telling = { turn: number; text: string; score: number };
export type HistoryRecord = {
  prompts: { turn: number; text: string }[];
  /** True when the newest prompt got no final text. */
  unanswered: boolean;
  /** One line for each file changed and each command run, oldest first. */
  deeds: string[];
  details: Telling[];
  /** What the user ordered for good. */
  standing: Telling[];
  touches: Map<string, { count: number; operation: string; turn: number }>;
  planText: string;
  /** Contents of earlier compaction messages. */
  former: string[];
};

const STANDING = 3;
/** Signs that an agent's sentence is worth keeping: errors, versions, numbers. */
const NOTABLE: [RegExp, number][] = [
  [/\b(?:error|exception|fail(?:s|ed|ure|ing)?|crash\w*|broken|bug|denied|timeout|because)\b/i, 2],
  [/\bv?\d+\.\d+(?:\.\d+)*\b|\bversion\b/i, 2],
  [/\d/, 1],
];

export function readHistory(items: readonly SessionItem[]): HistoryRecord {
  const ledger = foldLedger(emptyLedger(), happeningsOfItems(items));
  const record: HistoryRecord = {
    prompts: [],
    unanswered: false,
    deeds: deedsOf(ledger),
    details: [],
    standing: ledger.words
      .filter(({ worth }) => worth >= STANDING)
      .map(({ turn, text, worth }) => ({ turn, text, score: worth })),
    touches: new Map(),
    planText: "",
    former: [],
  };
  for (const { raw, kind, isPrompt, turn } of items) {
    if (kind === "compaction") record.former.push(raw.content);
    else if (raw.role === "assistant") {
      if (raw.toolRequests.length === 0 && raw.content.trim() !== "") record.unanswered = false;
      if (!isOwnWords(raw.content)) addNotable(record, raw.content, turn);
    } else if (isPrompt && raw.content.trim() !== "") {
      record.prompts.push({ turn, text: raw.content.trim() });
      record.unanswered = true;
    }
  }
  readTouches(record, items);
  const statements = ledgerEntries(ledger).filter(
    ({ section, text }) => ["words", "choices", "failures"].includes(section) || text.includes("last change failed"),
  );
  for (const { turn, text, rank } of statements) addDetail(record, { turn, text, score: 3 + rank });
  record.details.sort((a, b) => a.turn - b.turn);
  return record;
}

function deedsOf({ files, runs }: SessionLedger): string[] {
  const deeds: (LedgerPlace & { text: string })[] = [
    ...files.flatMap(({ path, deeds: all }) =>
      all
        .filter(({ failed }) => failed === undefined)
        .map(({ turn, item = 0, did }) => ({ turn, item, text: `${did} ${path}` })),
    ),
    ...runs.map(({ turn, item = 0, command, outcome }) => ({ turn, item, text: `ran \`${command}\`: ${outcome}` })),
  ];
  const lines = deeds.sort((a, b) => (comesAfter(a, b) ? 1 : -1)).map(({ turn, text }) => `[t${turn}] ${text}`);
  return [...new Set(lines)];
}

/** Files that were read or changed, without those where it failed; and what was last written to the plan. */
function readTouches(record: HistoryRecord, items: readonly SessionItem[]): void {
  const failed = new Set(items.flatMap(({ raw }) => (raw.role === "tool" && raw.isError ? raw.toolCallId : [])));
  for (const { raw, turn } of items) {
    if (raw.role !== "assistant") continue;
    for (const { toolCallId, name, arguments: args } of raw.toolRequests) {
      const { path, changes } = readCall(name, args);
      if (failed.has(toolCallId)) continue;
      const touched = changes.length > 0 ? changes.map((one) => ({ path: one.path, did: one.did as string })) : [];
      if (touched.length === 0 && path !== undefined) touched.push({ path, did: "viewed" });
      for (const { path: file, did } of touched)
        record.touches.set(file, { count: (record.touches.get(file)?.count ?? 0) + 1, operation: did, turn });
      const planned = isRecord(args) ? (args["file_text"] ?? args["new_str"]) : undefined;
      if (/(?:^|\/)plan\.md$/.test(path ?? "") && typeof planned === "string") record.planText = planned;
    }
  }
}

function addNotable(record: HistoryRecord, text: string, turn: number): void {
  for (const sentence of statements(text)) {
    const score = NOTABLE.reduce((sum, [sign, worth]) => sum + (sign.test(sentence) ? worth : 0), 0);
    if (score > 0) addDetail(record, { turn, text: clip(sentence, 300), score });
  }
}

function addDetail(record: HistoryRecord, detail: Telling): void {
  if (!record.details.some((other) => other.text === detail.text)) record.details.push(detail);
}
