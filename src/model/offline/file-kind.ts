// What sort of file a path is, as far as its name tells, and how much a line of it counts.
import type { Question } from "./question.ts";

export type FileKind = "source" | "test" | "doc" | "generated";

export function fileKind(path: string): FileKind {
  if (
    /(?:^|\/)(?:dist|build|node_modules|vendor|third_party|coverage)\/|(?:-lock\.(?:json|yaml)|\.lock|\.min\.\w+|\.map|\.svg|\.snap|go\.sum)$/.test(
      path,
    )
  )
    return "generated";
  if (
    /(?:^|\/)(?:tests?|__tests__|specs?|e2e|fixtures?|testdata)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+$/i.test(
      path,
    )
  )
    return "test";
  if (/\.(?:mdx?|rst|txt|adoc)$|(?:^|\/)docs?\/|(?:^|\/)(?:README|CHANGELOG|LICENSE|CONTRIBUTING)[^/]*$/i.test(path))
    return "doc";
  return "source";
}

export function kindFactor(kind: FileKind, wants: Question["wants"]): number {
  if (kind === "test") return wants.tests ? 1.6 : 0.6;
  if (kind === "doc") return wants.docs ? 1.5 : 0.7;
  return kind === "generated" ? 0.2 : 1;
}

/** Ripgrep glob that leaves machine-written files out of a first search. */
export const NOT_GENERATED = "!*{.lock,-lock.json,-lock.yaml,.min.js,.min.css,.map,.svg,.snap}";
