// Shortening a repository's memory file with the session's own model, when the user wants that.
import { newId } from "../../base/id.ts";
import type { AskModel } from "../../memory/file/optimise.ts";
import type { ModelRequest } from "../../model/contract.ts";
import { newItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import type { Conversation } from "../../session/session.ts";
import { callAnyModel } from "../model.ts";
import type { ModelInForce } from "../session/model-in-force.ts";
import type { Workspace } from "../workspace.ts";

const SYSTEM = "You shorten lists of facts without losing any. You answer in JSON lines only.";

type OptimiserServices = { workspace: Workspace; main: Conversation; model: Pick<ModelInForce, "target"> };

/** Undefined: memory.file.optimise is off. The offline model gives no answer: it cannot judge what two facts share. */
export function fileOptimiser({ workspace, main, model }: OptimiserServices): AskModel | undefined {
  if (!workspace.settings.values["memory.file.optimise"]) return undefined;
  return async (prompt, signal) => {
    const { target } = model;
    if (target.provider === "offline") return undefined;
    const start = performance.now();
    const message = newItem<Message>({
      id: newId(),
      role: "user",
      kind: "message",
      isPrompt: true,
      turn: 0,
      raw: { role: "user", content: prompt },
    });
    const request: ModelRequest = {
      system: SYSTEM,
      items: [message],
      tools: [],
      toolChoice: "none",
      initiator: "agent",
      interaction: "conversation-agent",
      sessionId: main.id,
    };
    const idleMs = workspace.settings.values["turn.streamIdleSeconds"] * 1000;
    const outcome = await callAnyModel(target, request, { signal, onPart: () => undefined, idleMs });
    if (outcome.type !== "answer") return undefined;
    const { content, usage, ttftMs } = outcome.answer;
    if (usage) {
      const durationMs = Math.round(performance.now() - start);
      const where = { turnId: main.state.openTurn ?? "end", step: 0, interaction: request.interaction };
      await main.emit("assistant.usage", { ...usage, model: target.id, ...where, durationMs, ttftMs });
    }
    return content;
  };
}
