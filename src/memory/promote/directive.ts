// Directives: lines of the user's own message that name a kind and say what to keep, outside code and quotations.
import { plainText } from "../graph/extract/block.ts";
import { isPromotionScope, kindNamed, type PromotionKind, type PromotionScope, scopeOf } from "./kind.ts";

export type Directive = { kind: PromotionKind; scope: PromotionScope; text: string };

const MAX_DIRECTIVES = 20;
const LINE = /^ {0,3}([a-z][a-z _-]{1,24}?)\s*(?:\(\s*(user|workspace)\s*\))?\s*:(?!\/\/)\s*(.*)$/i;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

export function directivesIn(message: string): Directive[] {
  const lines = plainText(message).split("\n");
  const foreign = foreignLines(lines);
  const directives: Directive[] = [];
  for (let at = 0; at < lines.length && directives.length < MAX_DIRECTIVES; at++) {
    const [, name = "", marker, rest = ""] = foreign.has(at) ? [] : (LINE.exec(lines[at] ?? "") ?? []);
    const kind = kindNamed(name);
    if (!kind) continue;
    const following = rest.trim() === "" ? paragraphFrom(lines, at + 1) : [];
    const text = [rest, ...following].join("\n").trim();
    at += following.length;
    const scope = marker?.toLowerCase() ?? "";
    if (text !== "") directives.push({ kind, scope: isPromotionScope(scope) ? scope : scopeOf(kind, text), text });
  }
  return directives;
}

function paragraphFrom(lines: readonly string[], from: number): string[] {
  const end = lines.findIndex((line, at) => at >= from && line.trim() === "");
  return lines.slice(from, end === -1 ? lines.length : end);
}

/** Lines that begin inside a fence, a code span or a quotation. A span ends with its paragraph. */
function foreignLines(lines: readonly string[]): ReadonlySet<number> {
  const foreign = new Set<number>();
  let fence: string | undefined;
  let open: string | undefined;
  for (const [at, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined || mark !== undefined) {
      foreign.add(at);
      if (fence === undefined) fence = mark;
      else if (mark?.startsWith(fence)) fence = undefined;
      open = undefined;
      continue;
    }
    if (line.trim() === "") open = undefined;
    if (open !== undefined && closesLater(lines, at, open)) foreign.add(at);
    for (const sign of line.match(/[`"“”«»]/g) ?? [])
      open = open === undefined ? CLOSING[sign] : sign === open ? undefined : open;
  }
  return foreign;
}

const CLOSING: Readonly<Record<string, string>> = { "`": "`", '"': '"', "“": "”", "«": "»" };

const closesLater = (lines: readonly string[], from: number, sign: string): boolean =>
  paragraphFrom(lines, from).some((line) => line.includes(sign));
