// Sidekicks and inboxes of this home as they are without any session open: switches, definitions, stored entries.

import type { InboxEntry } from "../../agent/inbox/entry.ts";
import type { SidekickSettings } from "../../agent/sidekick/contract.ts";
import { optional } from "../../base/optional.ts";
import { latestObservations } from "../../memory/observe/observation.ts";
import type { InboxAnswer, SidekicksAnswer } from "../../server/memory/contract.ts";
import type { Database } from "../../store/sqlite.ts";
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

export async function sidekicksOf(
  workspace: Pick<Workspace, "settings" | "env">,
  db: Database,
): Promise<SidekicksAnswer> {
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
  return { switches: { memory, enabled, off, maxTokensPerTurn, maxTokensPerSession }, items, runs: runsOf(db) };
}

const MOST_RUNS = 100;

/** As the sessions noted them, also what kept one from running. */
function runsOf(db: Database): SidekicksAnswer["runs"] {
  return latestObservations(db, "sidekick", MOST_RUNS).map(({ at, session = "", ms, data = {} }) => {
    const figure = (name: string) => optional(name, typeof data[name] === "number" ? data[name] : undefined);
    const about = { name: String(data["name"]), session, at: new Date(at).toISOString(), state: String(data["state"]) };
    const reason = optional("reason", data["reason"] === undefined ? undefined : String(data["reason"]));
    return { ...about, ...reason, ...figure("tokens"), ...figure("sends"), ...optional("durationMs", ms) };
  });
}

const MOST_INBOXES = 200;
const MOST_ENTRIES = 500;

/** The latest entries in the inboxes of the sessions that were used last. */
export async function allInboxes({ paths }: Pick<Workspace, "paths">, db: Database): Promise<InboxAnswer> {
  const { inboxStore } = await import("../../agent/inbox/store.ts");
  const rows = db.prepare("SELECT id FROM sessions ORDER BY updated_at DESC, id DESC LIMIT ?").all(MOST_INBOXES);
  const entries: InboxEntry[] = [];
  for (const row of rows) {
    const list = await inboxStore(paths.session(String(row["id"])).db).list();
    if (list.ok) entries.push(...list.value);
  }
  const latest = entries.sort((a, b) => (a.sentAt < b.sentAt ? 1 : -1)).slice(0, MOST_ENTRIES);
  return { type: "entries", entries: latest };
}

export async function removeEntry({ paths }: Pick<Workspace, "paths">, session: string, id: string): Promise<boolean> {
  const [{ inboxStore }, { sessionIds }] = await Promise.all([
    import("../../agent/inbox/store.ts"),
    import("../../session/find-session.ts"),
  ]);
  if (!sessionIds(paths.sessions).includes(session)) return false;
  const removed = await inboxStore(paths.session(session).db).remove(id);
  return removed.ok && removed.value;
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
