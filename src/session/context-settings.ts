// The settings of compaction and truncation, thresholds read; what is not a threshold is warned about once.

import { parseThreshold } from "../context/compact/threshold.ts";
import { COMPACTION_THRESHOLDS } from "../settings/default.ts";
import type { LoadedSettings } from "../settings/load.ts";

type ReadSettings = Pick<LoadedSettings, "values" | "sources">;

export type ContextSettings = ReturnType<typeof contextSettings>;

export function contextSettings(settings: ReadSettings) {
  const { values } = settings;
  return {
    mode: values["compaction.mode"],
    background: threshold(settings, "compaction.background").value,
    exhaustion: threshold(settings, "compaction.exhaustion").value,
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

export function contextWarnings(settings: ReadSettings): string[] {
  return (Object.keys(COMPACTION_THRESHOLDS) as (keyof typeof COMPACTION_THRESHOLDS)[]).flatMap(
    (key) => threshold(settings, key).warning ?? [],
  );
}

function threshold({ values, sources }: ReadSettings, key: keyof typeof COMPACTION_THRESHOLDS) {
  return parseThreshold(values[key], `${key} (${sources[key]})`, COMPACTION_THRESHOLDS[key]);
}
