// keys.json: the user's own keys over the defaults. What cannot be used is told with its line, and the default stays.
import { errorText } from "../../base/failure.ts";
import { isRecord } from "../../base/json.ts";
import { bindingsOf, type KeyBindings, type KeyRow, keyTable } from "../../command/key-table.ts";

export type LoadedKeys = { rows: readonly KeyRow[]; bindings: KeyBindings; notices: string[] };

export const defaultKeys: LoadedKeys = { rows: keyTable, bindings: bindingsOf(keyTable), notices: [] };

/** `text`: what the file holds; undefined when there is none. */
export function loadKeys(text: string | undefined): LoadedKeys {
  if (text === undefined || text.trim() === "") return defaultKeys;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { ...defaultKeys, notices: [`keys.json: ${errorText(error)}. The default keys are used.`] };
  }
  if (!isRecord(parsed))
    return { ...defaultKeys, notices: ["keys.json is not a JSON object. The default keys are used."] };
  const notices: string[] = [];
  const rows = new Map<string, KeyRow>(keyTable.map((row) => [row.action, row]));
  for (const [action, value] of Object.entries(parsed)) {
    const keys = typeof value === "string" ? [value] : value;
    const row = rows.get(action);
    const where = `keys.json line ${lineOf(text, action)}`;
    if (!row) notices.push(`${where}: "${action}" is not an action. /keys lists them.`);
    else if (!Array.isArray(keys) || !keys.every((key) => typeof key === "string" && key !== ""))
      notices.push(`${where}: "${action}" needs a key or a list of keys. Its default is used.`);
    else rows.set(action, { ...row, keys: keys.map((key) => normal(key)) });
  }
  const own = new Set(Object.keys(parsed));
  return settle([...rows.values()], own, (action) => `keys.json line ${lineOf(text, action)}`, notices);
}

/** A key of two actions: one that the user gave wins over a default; of two that the user gave the first. */
function settle(
  rows: readonly KeyRow[],
  own: ReadonlySet<string>,
  where: (action: string) => string,
  notices: string[],
): LoadedKeys {
  const taken = new Map<string, KeyRow>();
  const result = new Map<string, KeyRow>();
  for (const row of [...rows.filter((r) => own.has(r.action)), ...rows.filter((r) => !own.has(r.action))]) {
    const clash = row.keys.find((key) => taken.has(key));
    const other = clash === undefined ? undefined : taken.get(clash);
    let used = row;
    if (other && own.has(row.action)) {
      notices.push(
        `${where(row.action)}: "${clash}" is already bound to "${other.action}". The default of "${row.action}" is used.`,
      );
      const usual = keyTable.find(({ action }) => action === row.action)?.keys ?? [];
      used = { ...row, keys: usual.filter((key) => !taken.has(key)) };
    } else if (other) used = { ...row, keys: row.keys.filter((key) => !taken.has(key)) };
    for (const key of used.keys) taken.set(key, used);
    result.set(row.action, used);
  }
  const ordered = rows.map((row) => result.get(row.action) ?? row);
  return { rows: ordered, bindings: bindingsOf(ordered), notices };
}

function lineOf(text: string, action: string): number {
  const at = text.indexOf(`"${action}"`);
  return text.slice(0, Math.max(0, at)).split("\n").length;
}

const MODIFIERS = ["ctrl", "shift", "alt", "super"];

/** `Control-O` and `CTRL+o` are `ctrl+o`. */
function normal(key: string): string {
  const parts = key
    .trim()
    .toLowerCase()
    .replace("control", "ctrl")
    .replace(/(ctrl|shift|alt|super)[-+]/g, "$1 ")
    .split(" ");
  const modifiers = MODIFIERS.filter((one) => parts.slice(0, -1).includes(one));
  const last = (parts.at(-1) ?? "")
    .replace(/^esc$/, "escape")
    .replace(/^return$/, "enter")
    .replace(/^page(up|down)$/, (_, way: string) => `page${way === "up" ? "Up" : "Down"}`);
  return [...modifiers, last].join("+");
}
