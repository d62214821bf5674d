// Panels about this machine: its sessions, and its settings.
import { ok } from "../../base/result.ts";
import { firstLine } from "../../base/text.ts";
import { counted } from "../../command/format.ts";
import { ago } from "../../command/memory/text.ts";
import { type Client, home, type StoredSession } from "../../runtime/client.ts";
import { type PageResult, type PickerRow, pickerPage } from "./page.ts";

const MOST_SESSIONS = 100;
const MOST_LETTERS = 120;

/** Those of this folder first, then all others with their folder. */
export async function sessionsPage(client: Client): PageResult {
  const here = await home.sessions.list({ limit: MOST_SESSIONS });
  if (!here.ok) return here;
  const all = await home.sessions.list({ all: true, mainOnly: true, limit: MOST_SESSIONS });
  if (!all.ok) return all;
  const ids = new Set(here.value.map(({ id }) => id));
  const rows = [
    ...here.value.map((one) => sessionRow(one, client, [])),
    ...all.value.filter(({ id }) => !ids.has(id)).map((one) => sessionRow(one, client, [one.cwd])),
  ];
  return ok(pickerPage("Continue which session?", rows, "No earlier sessions yet."));
}

function sessionRow({ id, name, updated_at, prompts }: StoredSession, client: Client, more: string[]): PickerRow {
  const isOpen = id === client.sessionId;
  const facts = [id.slice(0, 8), ago(updated_at, Date.now()), counted(prompts, "prompt"), ...more];
  return {
    label: firstLine(name ?? "", MOST_LETTERS) || "(no name)",
    detail: [...facts, ...(isOpen ? ["open now"] : [])].join(", "),
    does: isOpen ? { type: "close" } : { type: "run", line: `/resume ${id}`, afterwards: "close" },
  };
}

export async function settingsPage(client: Client): PageResult {
  const settings = await client.settings.list();
  if (!settings.ok) return settings;
  const rows = settings.value.map(
    ({ key, value, source, help }): PickerRow => ({
      label: key,
      detail: `${typeof value === "string" ? value : JSON.stringify(value)}  (${source})  ${help}`,
      does: { type: "insert", text: `/settings ${key} ` },
    }),
  );
  return ok(pickerPage("Change which setting?", rows));
}
