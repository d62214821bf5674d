// What sort of file a path is, as far as its name tells, and how much a line of it counts.
import type { OfflineQuestion } from "./question.ts";

type FileKind = "source" | "test" | "doc" | "generated";

const GENERATED =
  /(?:^|\/)(?:dist|build|target|out|node_modules|vendor|third_party|coverage|__pycache__|\.next|fixtures?|__snapshots__|testdata)\/|(?:-lock\.(?:json|yaml)|\.lock|\.min\.\w+|\.map|\.svg|\.snap|go\.sum|\.pb\.go|_pb2\.pyi?|\.g\.dart|\.generated\.\w+)$/;
const DOC = /\.(?:mdx?|rst|txt|adoc)$|(?:^|\/)docs?\/|(?:^|\/)(?:README|CHANGELOG|LICENSE|CONTRIBUTING)[^/]*$/i;
const TEST = /(?:^|\/)(?:tests?|__tests__|e2e)\/|^spec\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+$/i;

export function fileKind(path: string): FileKind {
  if (GENERATED.test(path)) return "generated";
  if (DOC.test(path)) return "doc";
  return TEST.test(path) ? "test" : "source";
}

export function kindFactor(kind: FileKind, wants: OfflineQuestion["wants"]): number {
  if (wants.tests) return kind === "test" ? 1.6 : kind === "generated" ? 0.1 : 0.4;
  if (kind === "test") return 0.4;
  if (kind === "doc") return wants.docs ? 1.5 : 0.7;
  return kind === "generated" ? 0.2 : 1;
}

/** Where the commands of a project are kept: as good as its documentation for "how do I". */
export function isScripts(path: string): boolean {
  return /(?:^|\/)(?:package\.json|Makefile|justfile|Rakefile|tox\.ini)$/.test(path);
}

const CODE_NAMES =
  "ts tsx mts cts js jsx mjs cjs vue svelte py pyi rs go java kt kts rb php c h cc cpp cxx hpp cs swift scala ex exs erl hs ml lua pl r jl dart zig nim sh bash zsh fish ps1 sql html css scss proto graphql gradle tf nix yml toml ini cfg conf properties xml";

/** Globs for parts of a repository. Positive, since a glob can only narrow; lock files end in k. */
export const CODE = `{${CODE_NAMES.split(" ")
  .map((ending) => `*.${ending}`)
  .join(",")},*[!k].json,*[!k].yaml,.env*,Makefile,Dockerfile*,justfile,Procfile,Gemfile}`;
export const DOCS = "*.{md,mdx,rst,txt,adoc}";
export const TESTS = "{*.test.*,*.spec.*,*_test.*,*_spec.*,test_*}";
