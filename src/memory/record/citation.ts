// Citations as models and people write them, read into their kinds.
import type { FilteredText } from "../secret/filter.ts";
import type { Citation, CitationKind } from "./contract.ts";
import { fold } from "./fold.ts";

/** `path[:line[-line]]`: something like a file name, no spaces. */
const FILE = /^(?:file:)?((?:\.{0,2}\/)?[^\s:;,"'`<>|*?]+)(?::(\d{1,9})(?:-(\d{1,9}))?)?$/i;
const LOOKS_LIKE_PATH = /[/\\]|\.[A-Za-z0-9]{1,12}$|^(?:Makefile|Dockerfile|LICENSE|README|Justfile|Rakefile|Gemfile)$/;
const URL_START = /^[a-z][a-z0-9+.-]*:\/\//i;
const TURN = /^(?:turn[ :]?\s*)?t?\d{1,6}(?:\.\d{1,4})?$|^[0-9a-f-]{8,36}:t\d+(?:\.\d+)?$/i;
const USER = /^user\b/i;

/** An array as it is; a text split at line ends and semicolons, and at commas where every piece is a place in a file. */
export function splitCitations(value: string | readonly string[]): string[] {
  if (typeof value !== "string") return [...value];
  const pieces = value.split(/[\n;]/).map(fold).filter(Boolean);
  return pieces.flatMap((piece) => {
    const parts = piece.split(",").map(fold).filter(Boolean);
    return parts.length > 1 && parts.every((part) => kindOf(part) === "file") ? parts : [piece];
  });
}

export function readCitation(raw: FilteredText): Citation<FilteredText> {
  const kind = kindOf(raw);
  if (kind !== "file") return { raw, kind, state: "unverifiable" };
  const [, path = "", start, end] = FILE.exec(raw) ?? [];
  const startLine = start === undefined ? undefined : Number(start);
  const endLine = end === undefined ? startLine : Number(end);
  return {
    raw,
    kind,
    path,
    ...(startLine === undefined ? {} : { startLine }),
    ...(endLine === undefined ? {} : { endLine }),
    state: "unchecked",
  };
}

function kindOf(raw: string): CitationKind {
  if (URL_START.test(raw)) return "url";
  if (TURN.test(raw)) return "turn";
  const path = FILE.exec(raw)?.[1];
  if (path !== undefined && LOOKS_LIKE_PATH.test(path)) return "file";
  return USER.test(raw) ? "user" : "text";
}
