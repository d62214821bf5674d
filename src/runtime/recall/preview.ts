// What a new session in a folder would be reminded of before a message: the agent's own code, asked without an agent.

import { type Failure, refusal } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { gitContext } from "../../host/git.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { InjectionPreview, InjectionQuestion } from "../../schema/api/recall.ts";
import { emptyState } from "../../session/state.ts";
import type { Database } from "../../store/sqlite.ts";
import type { HomeServices } from "../gateway/home-services.ts";
import type { Workspace } from "../workspace.ts";
import { RecalledBlocks } from "./recalled.ts";

/** As most models have; the block's own bounds are far below its share. */
const PROMPT_LIMIT = 128_000;

export async function previewInjection(
  workspace: Workspace,
  { db, recall }: Pick<HomeServices, "db" | "recall">,
  { query, folder }: InjectionQuestion,
  signal: AbortSignal,
): Promise<Result<InjectionPreview, Failure>> {
  const { values } = workspace.settings;
  if (folder !== undefined && !isKnown(db, folder)) return fail(unknownFolder);
  const context = folder === undefined ? workspace.context : gitContext(folder);
  const losses: string[] = [];
  const blocks = new RecalledBlocks({
    workspace: { ...workspace, context },
    main: {
      id: newId(),
      state: { ...emptyState(), context },
      publish: (_type, data) => void losses.push("message" in data ? String(data.message) : ""),
    },
    index: { store: async () => ok(db), recall: async () => recall },
    model: { promptLimit: PROMPT_LIMIT },
  });
  const text = await blocks.before({ content: query }, signal);
  return ok({
    folder: context.gitRoot ?? context.cwd,
    text: text === undefined ? null : workspace.redact(text),
    memory: values["memory.enabled"],
    quotes: values["recall.auto"],
    losses,
  });
}

/** Only where sessions ran: nobody learns from this what else is on the disk. */
const isKnown = (db: Database, folder: string): boolean =>
  prepared(db, "SELECT 1 FROM sessions WHERE coalesce(git_root, cwd) = ?1 LIMIT 1").get(folder) !== undefined;

const unknownFolder: Failure = refusal(
  "no_such_folder",
  "No session has run in that folder.",
  "Choose a folder of a session.",
);
