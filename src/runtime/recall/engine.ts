// The recall engine with this run's settings.
import { join } from "node:path";
import type { EmbedderSettings } from "../../memory/recall/embed/choose.ts";
import { Recall } from "../../memory/recall/recall.ts";
import { hasConsent } from "../../permission/consent.ts";
import type { Database } from "../../store/sqlite.ts";
import type { Workspace } from "../workspace.ts";

type EngineOptions = {
  /** Whether an undecided store may look for an embedder on this machine. */
  mayChoose: boolean;
  onTrouble?: (trouble: { code: string; message: string }) => void;
  onDamaged?: (message: string) => void;
};

export function openRecall(
  workspace: Workspace,
  db: Database,
  { mayChoose, onTrouble, onDamaged }: EngineOptions,
): Recall {
  const { values } = workspace.settings;
  const semantic = embedderSettings(workspace, mayChoose);
  return new Recall({
    db,
    path: workspace.paths.store,
    timeoutMs: values["recall.timeoutMs"],
    maxPostings: values["recall.maxPostings"],
    vectorFormat: values["recall.vectorFormat"],
    ...(semantic ? { semantic } : {}),
    ...(onTrouble ? { onTrouble } : {}),
    ...(onDamaged ? { onDamaged } : {}),
  });
}

/** Undefined when texts are not to be compared by meaning. */
export function embedderSettings(workspace: Workspace, mayChoose: boolean): EmbedderSettings | undefined {
  const { settings, paths, trust, root } = workspace;
  const { values } = settings;
  const embedder = values["recall.embedder"];
  if (
    !values["memory.enabled"] ||
    !values["recall.enabled"] ||
    !values["recall.semantic.enabled"] ||
    embedder === "none"
  )
    return undefined;
  const [baseUrl, model, apiKey] = [
    values["recall.openai.baseUrl"],
    values["recall.openai.model"],
    values["recall.openai.apiKey"],
  ];
  return {
    embedder,
    ollama: { baseUrl: values["recall.semantic.baseUrl"], model: values["recall.semantic.model"] },
    ...(baseUrl && model ? { openai: { baseUrl, model, ...(apiKey ? { apiKey } : {}) } } : {}),
    staticDirs: [values["recall.static.dir"] ?? join(paths.home, "models", "static")],
    mayCall: async (origin) => trust.trusted && (await hasConsent(paths.home, root, origin)),
    mayChoose,
  };
}
