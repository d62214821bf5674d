// The settings of compaction and truncation, thresholds read; what is not a threshold is warned about once.

import { parseThreshold } from "../../context/compact/threshold.ts";
import type { ContextSettings } from "../../session/parts.ts";
import { COMPACTION_THRESHOLDS } from "../../settings/default.ts";
import type { Workspace } from "../workspace.ts";

function threshold(workspace: Workspace, key: keyof typeof COMPACTION_THRESHOLDS) {
  const { values, sources } = workspace.settings;
  return parseThreshold(values[key], `${key} (${sources[key]})`, COMPACTION_THRESHOLDS[key]);
}

export function contextSettings(workspace: Workspace): ContextSettings {
  const { values } = workspace.settings;
  return {
    mode: values["compaction.mode"],
    background: threshold(workspace, "compaction.background").value,
    exhaustion: threshold(workspace, "compaction.exhaustion").value,
    minMessages: values["compaction.minMessages"],
    target: values["compaction.target"],
    keepRecent: values["compaction.keepRecent"],
    timeoutMs: values["compaction.timeoutMs"],
    maxChunks: values["compaction.maxChunks"],
    truncation: values["truncation.mode"],
    truncationTarget: values["truncation.target"],
    recallOn: values["recall.enabled"],
    providerCompaction: values.providerCompaction === "on",
  };
}

export function contextWarnings(workspace: Workspace): string[] {
  return (Object.keys(COMPACTION_THRESHOLDS) as (keyof typeof COMPACTION_THRESHOLDS)[]).flatMap(
    (key) => threshold(workspace, key).warning ?? [],
  );
}
