// Which strategy keeps the records of a session: chosen once, and a service that cannot be used is never replaced.
import type { Skip, Strategy, StrategyChoice, StrategyKind } from "./contract.ts";

export type StrategySettings = {
  enabled: boolean;
  strategy: StrategyKind | "auto";
  injected: string | undefined;
  agenticMemory: boolean;
  serviceUrl: string | undefined;
  memoryInRepo: boolean;
};

/** Each is made only when it is chosen; one that cannot be used says why. */
export type Makers = Record<StrategyKind, () => Strategy | Skip | Promise<Strategy | Skip>>;

export function strategyKind(settings: StrategySettings): StrategyKind {
  if (settings.strategy !== "auto") return settings.strategy;
  if (settings.injected !== undefined) return "injected";
  if (settings.agenticMemory && settings.serviceUrl) return "service";
  return settings.memoryInRepo ? "jsonl" : "embedded";
}

export const OFF: Skip = {
  type: "skipped",
  reason: "memory_off",
  message: "memory is off (memory.enabled); `/memory on` turns it on.",
};

export async function chooseStrategy(settings: StrategySettings, makers: Makers): Promise<StrategyChoice> {
  if (!settings.enabled) return OFF;
  const kind = strategyKind(settings);
  if (kind === "service" && !settings.serviceUrl)
    return { type: "skipped", reason: "no_url", message: "the memory service has no address (memory.service.url)." };
  if (kind === "service" && !settings.agenticMemory)
    return { type: "skipped", reason: "feature_off", message: "service memory is off (features.agenticMemory)." };
  const strategy = await makers[kind]();
  return "kind" in strategy ? { type: "ready", strategy } : strategy;
}
