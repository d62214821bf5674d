// Which switch keeps a sidekick from running, whatever happens in the session.
import type { SidekickSettings } from "./contract.ts";
import type { SidekickDefinition } from "./definition.ts";

export type OffBy = "off" | "setting";

/** Undefined: none. Memory's own switch is above these. */
export function offBy(
  { name, setting }: Pick<SidekickDefinition, "name" | "setting">,
  { enabled, off, isOn }: Pick<SidekickSettings, "enabled" | "off" | "isOn">,
): OffBy | undefined {
  if (!enabled || off.includes(name)) return "off";
  return setting !== undefined && !isOn(setting) ? "setting" : undefined;
}
