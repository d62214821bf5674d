// The models that can be used here, with limit and multiplier.
import { promptLimit } from "../model/limits.ts";
import type { ModelRow } from "./client/session.ts";
import { usableModels } from "./model.ts";
import type { ModelInForce } from "./session/model-in-force.ts";
import type { Workspace } from "./workspace.ts";

export function listModels(workspace: Workspace, model: ModelInForce): ModelRow[] {
  const { values } = workspace.settings;
  const { id, entry } = model.target;
  const setting = values["limits.maxPromptTokens"];
  const models = usableModels(workspace, values["provider.baseUrl"] ? ["offline", "custom"] : ["offline"]);
  const others = models.filter((e) => e.id !== id);
  return [
    { id, promptLimit: model.promptLimit, multiplier: entry.multiplier, isInUse: true },
    ...others.map((e) => ({
      id: e.id,
      promptLimit: promptLimit(e, { setting }).tokens,
      multiplier: e.multiplier,
      isInUse: false,
    })),
  ];
}
