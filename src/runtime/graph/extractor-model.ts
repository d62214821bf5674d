// The model that finds facts, with graph.extractor llm: how it is called, and what it has cost so far.
import { newId } from "../../base/id.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import type { AskExtractor, ExtractorUse } from "../../memory/graph/extract/llm.ts";
import { noteOf, setNote } from "../../memory/recall/store/note.ts";
import type { ModelRequest } from "../../model/contract.ts";
import { newItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import type { Database } from "../../store/sqlite.ts";
import { callAnyModel, chooseModel } from "../model.ts";
import type { Workspace } from "../workspace.ts";

const SYSTEM = "You find facts in messages. You answer with one JSON object only.";

/** The offline model gives no answer: the rules read the messages then. */
export function askExtractor(workspace: Workspace): AskExtractor {
  const { values } = workspace.settings;
  let model: ReturnType<typeof chooseModel> | undefined;
  return async (prompt, signal) => {
    model ??= chooseModel(workspace, values["graph.model"]);
    const choice = await model;
    if (!choice.ok || choice.value.target.provider === "offline") return undefined;
    const idleMs = values["turn.streamIdleSeconds"] * 1000;
    const outcome = await callAnyModel(choice.value.target, requestOf(prompt), {
      signal,
      onPart: () => undefined,
      idleMs,
    });
    if (outcome.type !== "answer") return undefined;
    const { content, usage } = outcome.answer;
    return { text: content, tokens: (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) };
  };
}

const requestOf = (prompt: string): ModelRequest => ({
  system: SYSTEM,
  items: [
    newItem<Message>({
      id: newId(),
      role: "user",
      kind: "message",
      isPrompt: true,
      turn: 0,
      raw: { role: "user", content: prompt },
    }),
  ],
  tools: [],
  toolChoice: "none",
  initiator: "agent",
  interaction: "conversation-agent",
  sessionId: newId(),
});

const NONE: ExtractorUse = { calls: 0, tokens: 0, dropped: 0, ignored: 0, fallbacks: 0 };

/** Inside a transaction. */
export function addUse(db: Database, use: ExtractorUse): void {
  const sum = useOf(db);
  for (const name of Object.keys(NONE) as (keyof ExtractorUse)[]) sum[name] += use[name];
  setNote(db, "extractorUse", JSON.stringify(sum));
}

/** Since the index was last made anew. */
export function useOf(db: Database): ExtractorUse {
  const parsed = parseJson(noteOf(db, "extractorUse") ?? "{}");
  return { ...NONE, ...(parsed.ok && isRecord(parsed.value) ? parsed.value : {}) };
}
