// A settings file: JSON with comments, and where in it a value stands. The parser is loaded only when it is needed.
import type { Failure } from "../base/failure.ts";
import { isRecord, isTooDeep, MAX_NESTING, parseJson } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";

export type FilePath = readonly string[];
type FilePosition = { line: number; column: number };
export type SettingsFile = {
  path: string;
  value: Record<string, unknown>;
  /** Where the value (or, failing that, its nearest parent) stands. */
  position(path: readonly (string | number)[]): Promise<FilePosition>;
};

export const loadParser = () => import("jsonc-parser");

export async function parseSettingsFile(path: string, fileText: string): Promise<Result<SettingsFile, Failure>> {
  const text = fileText.replace(/^\uFEFF/, "");
  let parsed = parseJson(text);
  if (!parsed.ok) {
    const { parse, printParseErrorCode } = await loadParser();
    const errors: import("jsonc-parser").ParseError[] = [];
    try {
      parsed = { ok: true, value: parse(text, errors, { allowTrailingComma: true }) };
    } catch {
      return fail(tooDeep(path)); // the parser goes down a level by calling itself
    }
    const first = errors[0];
    if (first) {
      const reason = printParseErrorCode(first.error).replace(/(?<=[a-z])(?=[A-Z])/g, " ");
      return fail(refusal(path, positionAt(text, first.offset), `is not JSON: ${reason.toLowerCase()}`));
    }
  }
  if (!isRecord(parsed.value)) return fail(refusal(path, { line: 1, column: 1 }, "must contain one JSON object"));
  if (isTooDeep(parsed.value)) return fail(tooDeep(path));
  return ok({ path, value: parsed.value, position: (at) => locate(text, at) });
}

async function locate(text: string, path: readonly (string | number)[]): Promise<FilePosition> {
  const { findNodeAtLocation, parseTree } = await loadParser();
  try {
    const root = parseTree(text, [], { allowTrailingComma: true });
    const node = root && findNodeAtLocation(root, [...path]);
    return positionAt(text, node?.offset ?? root?.offset ?? 0);
  } catch {
    return positionAt(text, 0); // a key that stands twice can hide one of any depth, which only this parser looks into
  }
}

function positionAt(text: string, offset: number): FilePosition {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const tooDeep = (path: string): Failure =>
  refusal(path, { line: 1, column: 1 }, `is nested deeper than ${MAX_NESTING} levels`);

/** Deny rules may live in the file, so a part that cannot be read stops the start. */
export function refusal(path: string, at: FilePosition, reason: string): Failure {
  return {
    code: "settings_invalid",
    what: `${path}:${at.line}:${at.column} ${reason}.`,
    data: "The file is unchanged and nothing was started.",
    next: "Fix the file there, or move it away.",
    exit: 2,
  };
}
