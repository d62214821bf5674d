// Sidekicks and inboxes of this home as they are without any session open: switches, definitions, stored entries.

import type { SidekickSettings } from "../../agent/sidekick/contract.ts";
import type { InboxAnswer, SidekicksAnswer } from "../../server/memory/contract.ts";
import { isDetached } from "../board/detached.ts";
import type { Workspace } from "../workspace.ts";

/** What settings say; a session may know more. */
export function sidekickSwitches(workspace: Pick<Workspace, "settings" | "env">): SidekickSettings {
  const { values } = workspace.settings;
  return {
    memory: values["memory.enabled"] && !isDetached(workspace),
    enabled: values["sidekick.enabled"],
    off: values["sidekick.off"],
    isOn: (setting) => (values as Record<string, unknown>)[setting] === true,
    maxTokensPerTurn: values["sidekick.maxTokensPerTurn"],
    maxTokensPerSession: values["sidekick.maxTokensPerSession"],
  };
}

export async function sidekicksOf(workspace: Pick<Workspace, "settings" | "env">): Promise<SidekicksAnswer> {
  const [{ builtinSidekicks }, { offBy }] = await Promise.all([
    import("../../agent/sidekick/builtin.ts"),
    import("../../agent/sidekick/definition.ts"),
  ]);
  const switches = sidekickSwitches(workspace);
  const { memory, enabled, off, maxTokensPerTurn, maxTokensPerSession } = switches;
  const items = (await builtinSidekicks()).map((definition) => {
    const { prompt: _left, setting = null, ...rest } = definition;
    return { ...rest, setting, whyNot: memory ? (offBy(definition, switches) ?? null) : ("memory_off" as const) };
  });
  // Runs belong to open sessions; nothing here knows of them.
  return { switches: { memory, enabled, off, maxTokensPerTurn, maxTokensPerSession }, items, runs: [] };
}

/** Newest first. Looking marks nothing as read. */
export async function inboxOf({ paths }: Pick<Workspace, "paths">, session: string): Promise<InboxAnswer> {
  const [{ inboxStore }, { sessionIds }] = await Promise.all([
    import("../../agent/inbox/store.ts"),
    import("../../session/find-session.ts"),
  ]);
  if (!sessionIds(paths.sessions).includes(session)) return { type: "no_session" };
  const entries = await inboxStore(paths.session(session).db).list();
  return entries.ok ? { type: "entries", entries: entries.value.reverse() } : { type: "failed" };
}
