// Everything that the tools and the conversation have shown so far, in one form: lines of files, names of files, things said.
import { firstLine } from "../../base/text.ts";
import type { ModelRequest } from "../contract.ts";
import type { MadeCall, Round } from "./round.ts";
import { statements } from "./statements.ts";
import { STDIN } from "./stdin.ts";
import type { GrepLine } from "./tool-output.ts";
import { grepLines, pathLines, recalled, viewLines } from "./tool-output.ts";
import { isOwnWords } from "./wording.ts";

export type SpokenPassage = {
  source: string;
  text: string;
  date?: string;
  /** Sorts by age: later is greater. */
  age: string;
  /** What a tool printed in an earlier turn: it repeats files that may have changed since. */
  isOutput?: boolean;
};
export type Gathered = {
  files: Map<string, Map<number, string>>;
  /** Files whose lines end in CR LF: lines of theirs cannot be joined as they stand. */
  crlf: Set<string>;
  names: string[];
  said: SpokenPassage[];
  /** Where was looked, with counts. */
  looked: string[];
};
type Tally = Map<string, { searches: number; found: number }>;

export function gather(request: ModelRequest, round: Round): Gathered {
  const got: Gathered = { files: new Map(), crlf: new Set(), names: [], said: [], looked: [] };
  const results = new Map<string, SpokenPassage>();
  const say = (passage: SpokenPassage) => {
    const key = `${passage.source}\n${passage.text}`;
    if (results.get(key)?.date === undefined) results.set(key, passage);
  };
  for (const passage of earlierTurns(request, round)) say(passage);
  const memories = remembered(request.system);
  const facts = sharedFacts(round.prompt.raw.content);
  for (const passage of [...memories, ...facts]) say(passage);
  const tally: Tally = new Map();
  if (round.piped) addLines(got, pipedLines(round.piped.text));
  const now = `session ${request.sessionId} t${round.prompt.turn}`;
  for (const call of round.calls) readCall(call, got, tally, { now, say, piped: round.piped?.file });
  for (const [name, { searches, found }] of tally)
    got.looked.push(`${name}: ${count(searches, "search")}, ${count(found, FOUND[name] ?? "result")}`);
  const turns = new Set(round.earlier.filter((item) => item.isPrompt).map((item) => item.turn)).size;
  if (turns > 0) got.looked.push(`this session: ${count(turns, "earlier turn")}`);
  if (memories.length > 0) got.looked.push(`memories: ${memories.length}`);
  if (facts.length > 0) got.looked.push(`graphiti: ${count(facts.length, "fact")}`);
  got.said = [...results.values()];
  got.names = [...new Set(got.names)].sort();
  return got;
}

const FOUND: Record<string, string> = { grep: "matching line", glob: "file", view: "line" };

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : /ch$/.test(what) ? "es" : "s"}`;
}

type Reading = { now: string; say: (passage: SpokenPassage) => void; piped: string | undefined };

function pipedLines(text: string): GrepLine[] {
  return text.split("\n").map((row, at) => ({ path: STDIN, line: at + 1, text: row }));
}

function readCall(call: MadeCall, got: Gathered, tally: Tally, reading: Reading): void {
  if (!["grep", "glob", "view", "recall"].includes(call.name)) return;
  if (call.result === undefined || call.result.isError) {
    got.looked.push(`${call.name}: failed (${firstLine(call.result?.content ?? "no result came back", 160)})`);
    return;
  }
  const sum = tally.get(call.name) ?? { searches: 0, found: 0 };
  tally.set(call.name, {
    searches: sum.searches + 1,
    found: sum.found + readOutput(call, call.result.content, got, reading),
  });
}

/** Takes in one result; gives how much it held. */
function readOutput(call: MadeCall, output: string, got: Gathered, { now, say, piped }: Reading): number {
  if (call.name === "glob" || call.args["output_mode"] === "files") {
    const names = pathLines(output);
    got.names.push(...names);
    return names.length;
  }
  if (call.name === "grep") {
    const isPiped = piped !== undefined && call.args["path"] === piped;
    return addLines(got, isPiped ? grepLines(output).map((line) => ({ ...line, path: STDIN })) : grepLines(output));
  }
  if (call.name === "view") return addLines(got, agreed(got, viewLines(String(call.args["path"] ?? ""), output)));
  const sessionId = now.split(" ")[1] ?? "";
  const passages = recalled(output, sessionId).filter(
    ({ source, text }) => !`${source}.`.startsWith(`${now}.`) && !isOwnWords(text),
  );
  for (const { source, text, date, time = date, isOutput } of passages) {
    const dated = { ...(date === undefined ? {} : { date }), ...(isOutput ? { isOutput } : {}) };
    for (const statement of statements(text))
      say({ source, text: statement, age: ageOf(source, sessionId, time), ...dated });
  }
  return passages.length;
}

/** A line that grep printed otherwise means that the numbers or the separator were misread: then nothing of the view is used. */
function agreed(got: Gathered, lines: GrepLine[]): GrepLine[] {
  const lineTexts = got.files.get(lines[0]?.path ?? "");
  return lines.every(({ line, text }) => text.startsWith(lineTexts?.get(line) ?? "")) ? lines : [];
}

function addLines(got: Gathered, lines: GrepLine[]): number {
  for (const { path, line, text } of lines) {
    if (text.endsWith("\r")) got.crlf.add(path);
    linesOf(got, path).set(line, text.replace(/\r$/, ""));
  }
  return lines.length;
}

function linesOf(got: Gathered, path: string): Map<number, string> {
  const lines = got.files.get(path) ?? new Map<number, string>();
  got.files.set(path, lines);
  return lines;
}

function earlierTurns(request: ModelRequest, round: Round): SpokenPassage[] {
  return round.earlier.flatMap(({ raw, kind, turn, isPrompt }) => {
    const counts =
      kind === "message" && (raw.role === "user" ? isPrompt : raw.role === "assistant" && !isOwnWords(raw.content));
    if (!counts) return [];
    const source = `session ${request.sessionId} t${turn}`;
    return statements(raw.content).map((text) => ({ source, text, age: ageOf(source, request.sessionId) }));
  });
}

/** Records that the system prompt shows in its `<memories>` block, one a line with the id first. */
function remembered(system: string): SpokenPassage[] {
  const block = /<memories\b[^>]*>([\s\S]*?)<\/memories>/.exec(system)?.[1] ?? "";
  return block.split("\n").flatMap((row) => {
    const [, id, text] =
      /^\s*(?:[-*|]\s*\[?([\w-]{4,})\]?|\[?(?=mem_)([\w-]+)\]?)[\s:|]+(\S.*)$/
        .exec(row)
        ?.filter((part) => part !== undefined) ?? [];
    return id && text
      ? [{ source: `memory ${id}`, text: text.trim(), age: ageOf(id, "", /\d{4}-\d{2}-\d{2}/.exec(text)?.[0]) }]
      : [];
  });
}

/** Facts of a Graphiti server that stand before the prompt, one a line with its scope first and its time last. */
function sharedFacts(prompt: string): SpokenPassage[] {
  const block = /<graphiti_memory>([\s\S]*?)<\/graphiti_memory>/.exec(prompt)?.[1] ?? "";
  return [...block.matchAll(/^- \[(\w+)\] (.+?)(?: \((?:since|until) [^()]*?(\d{4}-\d{2}-\d{2})\))?$/gm)].map(
    ([, scope = "", text = "", date]) => {
      const source = `graphiti ${scope}`;
      return { source, text, age: ageOf(source, "", date), ...(date === undefined ? {} : { date }) };
    },
  );
}

/** This session is newer than any other; then the date counts, then the turn. */
function ageOf(source: string, sessionId: string, date = ""): string {
  const turn = /\bt(\d+)(?:\.\d+)?$/.exec(source)?.[1] ?? "0";
  const current = sessionId !== "" && source.startsWith(`session ${sessionId} `) ? "1" : "0";
  return `${current} ${current === "1" ? "" : date.padEnd(24)} ${turn.padStart(8, "0")}`;
}
