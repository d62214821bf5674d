// /mcp for a member of a team: memories, recall and the board of the repository that the address names.
import { hash } from "node:crypto";
import { tmpdir } from "node:os";
import { fail, ok } from "../../base/result.ts";
import { recallServed, type ServedTool, served } from "../../mcp/serve/tool.ts";
import { repositoryMeant } from "../../memory/record/reach.ts";
import { storeDefinition, storeInput, voteDefinition, voteInput } from "../../memory/record/tool/definition.ts";
import { storeText, voteText } from "../../memory/record/tool/tools.ts";
import type { SecretFilter } from "../../memory/secret/filter.ts";
import type { RecallOperations, RecallView } from "../../server/manage/recall.ts";
import type { MemoryBackend } from "../../server/memory/contract.ts";
import { storeByRest, voteByRest } from "../../server/memory/write.ts";
import { answerOf, boardLooked } from "../mcp/memory.ts";
import { matchText } from "../recall/match-text.ts";

type MemberMcp = { user: string; recall: RecallOperations; memory: MemoryBackend; redact: SecretFilter };

/** Without a repository all that the member reaches is searched, and only what is theirs alone can be stored. */
export function memberTools({ user, recall, memory, redact }: MemberMcp, query: URLSearchParams): ServedTool[] {
  const name = query.get("repository") ?? undefined;
  const [repository, branch] = [name && repositoryMeant(name), query.get("branch") ?? undefined];
  const place = repository === undefined ? {} : { repository };
  return [
    recallServed(async ({ query: text, limit }, { signal }) => {
      const repo = repository === undefined ? {} : { repo: repository };
      const view = await recall.ask(
        { query: text, limit, scope: "auto", ...repo, ...(branch ? { branch } : {}) },
        signal,
      );
      return view.ok ? ok(textOf(view.value, repository)) : fail(`${view.error.code}: ${view.error.what}`);
    }),
    served({
      ...{ name: "store_memory", description: storeDefinition(true).description, input: storeInput(true) },
      readOnly: false,
      run: async (input, { signal }) =>
        answerOf(storeText(await storeByRest(memory, { ...input, ...place }, {}, signal))),
    }),
    served({
      ...{ name: "vote_memory", description: voteDefinition().description, input: voteInput },
      readOnly: false,
      // An agent's vote: one for each member, and without the name.
      run: async (input, { signal }) =>
        answerOf(
          voteText(
            await voteByRest(memory, { ...input, ...place, actor: `mcp:${hash("sha256", user)}` }, undefined, signal),
          ),
        ),
    }),
    ...(repository === undefined || branch === undefined
      ? []
      : [
          boardLooked(async () =>
            ok({
              ...{ folder: tmpdir(), place: { repository, branch }, store: async () => ok(memory.store) },
              ...{ redactor: memory.redactor, redact },
            }),
          ),
        ]),
  ];
}

function textOf(view: RecallView, repository: string | undefined): string {
  if ("text" in view) return view.text;
  if (!("results" in view)) return view.items.map(({ text }) => text).join("\n\n");
  const searched = repository === undefined ? "all that you can see" : `the sessions and memories of ${repository}`;
  const { results, scope: _scope, unmatched = [], skipped, pinned: _pinned, ...rest } = view;
  const page = { ...rest, hits: results.map((hit) => ({ snippets: [], ...hit })) };
  return matchText({ ...page, unmatched: [...unmatched], skipped: [...skipped] }, { searched, reader: "model" });
}
