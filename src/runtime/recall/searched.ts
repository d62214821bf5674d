// What a search looked through, in words.
import type { RecallScope, Within } from "../../memory/recall/store/scope.ts";

/** As in "Nothing was found in …". `here`: the session that somebody asks in. */
export function searchedText({ scopes }: Within, here?: string): string {
  const texts = scopes.map((scope) =>
    scope.type === "session" && scope.session === here ? "this session" : scopeText(scope),
  );
  return new Intl.ListFormat("en").format(new Set(texts));
}

function scopeText(scope: RecallScope): string {
  switch (scope.type) {
    case "session":
      return `session ${scope.session}`;
    case "repository":
      return scope.repository.startsWith("local:")
        ? "the memories of this folder"
        : `the sessions and memories of ${scope.repository}`;
    case "branch":
      return `the sessions on ${scope.branch} of ${scope.repository}`;
    case "workspace":
      return `the sessions of ${scope.workspace}`;
    case "board":
      return `the board of ${scope.branch}`;
    case "group":
      return `the graph's group ${scope.group}`;
    case "user":
      return "your own memories";
    case "all":
      return "all sessions and memories";
  }
}
