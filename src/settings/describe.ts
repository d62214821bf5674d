// The settings for people: the list with values and sources, help texts, the docs page.
import { isRecord } from "../base/json.ts";
import { maskedForm } from "../base/text.ts";
import type { LoadedSettings } from "./load.ts";
import type { SettingRow } from "./row.ts";
import { type SettingKey, settingsTable } from "./table.ts";

export type SettingLine = { key: SettingKey; value: unknown; source: string; help: string; restart: boolean };

/** What `everlong settings` lists; secrets are masked here, so no face can show one. */
export function listSettings(loaded: Pick<LoadedSettings, "values" | "sources">): SettingLine[] {
  return settingsTable.map((row) => ({
    key: row.key,
    value: row.secret ? mask(loaded.values[row.key]) : (loaded.values[row.key] ?? null),
    source: loaded.sources[row.key],
    help: row.help,
    restart: row.restart === true,
  }));
}

export function settingsText(lines: readonly SettingLine[]): string {
  const width = Math.max(...lines.map((line) => line.key.length));
  return lines.map((l) => `${l.key.padEnd(width)}  ${shown(l.value)}  (${l.source})`).join("\n");
}

function mask(value: unknown): unknown {
  if (typeof value === "string") return maskedForm(value);
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, mask(v)]));
  return null;
}

/** One line a variable, for `everlong help environment`. */
export function environmentText(): string {
  const lines = settingsTable.flatMap((row) => names(row).map((name) => ({ name, help: row.help })));
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines.map(({ name, help }) => `${name.padEnd(width)}  ${help}`).join("\n");
}

/** The text of docs/settings.md. */
export function settingsPage(): string {
  const rows = settingsTable.map((row) => {
    const cells = [`\`${row.key}\``, code(names(row)), code(row.flags ?? []), defaultText(row), whoMay(row), row.help];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return `# Settings

This page is generated from the settings table; do not edit it. A setting is taken from its default,
\`EVERLONG_HOME/settings.json\`, \`<root>/.everlong/settings.json\`, the environment and a flag; the later ones win.
Both files are JSON with comments. Permission lists from all of them are combined.

| setting | environment | flag | default | may be set by | what it does |
|---|---|---|---|---|---|
${rows.join("\n")}
`;
}

function names(row: SettingRow): string[] {
  return row.env.map((name) => name.replace(/^!/, ""));
}

function code(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}

function defaultText(row: SettingRow): string {
  return row.defaultText ?? (row.default === undefined ? "none" : shown(row.default));
}

function whoMay(row: SettingRow): string {
  return {
    environment: "environment",
    user: "user",
    trusted: "user, trusted project",
    project: "user, project",
    off: "user; project: off only",
  }[row.scope];
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : "none";
  if (isRecord(value)) return Object.keys(value).length > 0 ? JSON.stringify(value) : "none";
  return String(value);
}
