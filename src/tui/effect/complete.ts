// Rows for the list of completions: our commands and the user's own, paths of the folder.
import { fuzzyScore } from "../../base/fuzzy.ts";
import { slashCommands } from "../../command/table.ts";
import type { Client } from "../../runtime/client.ts";
import type { CompletionRow, CompletionToken } from "../completion/completion.ts";
import type { App } from "../loop/app.ts";

const MOST_PATHS = 50;
let running: AbortController | undefined;

/** Only the newest question is answered. */
export async function complete(app: App, token: CompletionToken): Promise<void> {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  const client = await app.client();
  const rows =
    token.kind === "command"
      ? commandRows(client, token.query)
      : (await client.findPaths(token.query, MOST_PATHS, controller.signal))
          // A folder that is typed whole leads to what is in it.
          .filter((path) => path !== token.query || !path.endsWith("/"))
          .map(pathRow);
  if (!controller.signal.aborted) app.dispatch({ type: "completions", token, rows });
}

type Candidate = CompletionRow & { name: string };

function commandRows(client: Client, query: string): CompletionRow[] {
  const ours = slashCommands.map(({ name, summary, slash }) => candidate(name, slash.usage, slash.summary ?? summary));
  const own = client.extensions.commands().map(({ name, args, help }) => candidate(name, args, help));
  return [...ours, ...own]
    .flatMap((row, place) => {
      const score = row.name.startsWith(query) ? 1000 - place : fuzzyScore(query, row.name);
      return score === undefined || (score < 0 && query !== "") ? [] : [{ row, score: query === "" ? -place : score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ row: { name: _name, ...row } }) => row);
}

function candidate(name: string, usage: string, help: string): Candidate {
  const words = usage.replace(/^\/\S+\s*/, "").trim();
  return {
    name,
    label: `/${name}`,
    detail: [words, help].filter(Boolean).join("  "),
    insert: words === "" ? `/${name}` : `/${name} `,
    // Words in brackets can be left out.
    ...(words === "" || words.startsWith("[") ? { isWhole: true as const } : {}),
  };
}

function pathRow(path: string): CompletionRow {
  const isFolder = path.endsWith("/");
  const quoted = /[\s"]/.test(path) ? `@"${path}"` : `@${path}`;
  return { label: path, detail: "", insert: isFolder ? quoted : `${quoted} ` };
}
