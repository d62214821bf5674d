// Merging memory files: a union in which newer beats older, whatever the order of merging and however often it is done.
import { compareLines, goneLine, type MemoryFileLine, readLine, sameness } from "./lines.ts";

/**
 * What a file says. Each line claims that whatever is older of its own id, and of the ids it replaces, is over; a claim
 * outlives its line. So merging is the union of lines and the latest of claims, less the lines that a claim is past.
 */
export type FileMemory = {
  readonly lines: ReadonlyMap<string, MemoryFileLine>;
  /** Each id is mapped to the time since which its older lines are over. */
  readonly claims: ReadonlyMap<string, string>;
  /** Lines that could not be read, verbatim, and how often each stood there. */
  readonly unread: ReadonlyMap<string, number>;
  readonly bom: boolean;
};

export const noMemory: FileMemory = { lines: new Map(), claims: new Map(), unread: new Map(), bom: false };

const BOM = "\ufeff";

export function readFileMemory(text: string): FileMemory {
  const bom = text.startsWith(BOM);
  const unread = new Map<string, number>();
  const lines: MemoryFileLine[] = [];
  for (const one of (bom ? text.slice(1) : text).split("\n")) {
    if (one.trim() === "") continue;
    const line = readLine(one);
    if (line) lines.push(line);
    else unread.set(one, (unread.get(one) ?? 0) + 1);
  }
  return { ...memoryOf(lines), unread, bom };
}

export function memoryOf(lines: Iterable<MemoryFileLine>): FileMemory {
  const claims = new Map<string, string>();
  const newestById = new Map<string, MemoryFileLine>();
  for (const line of lines) {
    for (const id of [line.id, ...line.replaces]) raise(claims, id, line.at);
    if (isPlainMark(line)) continue; // it is its claim and nothing else
    const same = newestById.get(sameness(line));
    if (!same || line.text < same.text) newestById.set(sameness(line), line);
  }
  return settled({ lines: newestById, claims, unread: new Map(), bom: false });
}

export function merge(a: FileMemory, b: FileMemory): FileMemory {
  const lines = new Map(a.lines);
  for (const [key, line] of b.lines) {
    const same = lines.get(key);
    if (!same || line.text < same.text) lines.set(key, line);
  }
  const claims = new Map(a.claims);
  for (const [id, at] of b.claims) raise(claims, id, at);
  const unread = new Map(a.unread);
  for (const [text, count] of b.unread) unread.set(text, Math.max(count, unread.get(text) ?? 0));
  return settled({ lines, claims, unread, bom: a.bom || b.bom });
}

/** One object a line, the unreadable ones last. What claims no line carries gets a mark of its own. */
export function printFileMemory(memory: FileMemory): string {
  const lines = [...memory.lines.values()];
  const carried = new Set(lines.flatMap((line) => [line.id, ...line.replaces].map((id) => `${line.at} ${id}`)));
  const marks = [...memory.claims].filter(([id, at]) => at !== "" && !carried.has(`${at} ${id}`));
  const all = [...lines, ...marks.map(([id, at]) => goneLine(id, at))].sort(compareLines).map((line) => line.text);
  const unread = [...memory.unread].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([text, n]) => Array(n).fill(text));
  return (memory.bom ? BOM : "") + [...all, ...unread].map((text) => `${text}\n`).join("");
}

/** Lines that are in force, oldest first; of several with one id and one time only the first is used. */
export function recordLines(memory: FileMemory): MemoryFileLine[] {
  const gone = new Set([...memory.lines.values()].filter((line) => line.gone).map((line) => line.id));
  const seen = new Set<string>();
  return [...memory.lines.values()]
    .sort(compareLines)
    .filter((line) => !gone.has(line.id) && !seen.has(line.id) && seen.add(line.id));
}

function settled(memory: FileMemory): FileMemory {
  const isOver = ({ id, at }: MemoryFileLine): boolean => at < (memory.claims.get(id) ?? "");
  return { ...memory, lines: new Map([...memory.lines].filter(([, line]) => !isOver(line))) };
}

function raise(claims: Map<string, string>, id: string, at: string): void {
  if (at > (claims.get(id) ?? "")) claims.set(id, at);
}

const isPlainMark = (line: MemoryFileLine): boolean => line.gone && line.text === goneLine(line.id, line.at).text;
