import { expect, it } from "vitest";
import { environmentText, listSettings, settingsPage, settingsText } from "./describe.ts";
import { loadSettings } from "./load.ts";
import { parseValue } from "./parse.ts";
import { settingsTable } from "./table.ts";

const key = "sk-0123456789abcd";
const env = { OPENAI_API_KEY: key, EVERLONG_API_KEY: "short", EVERLONG_HEADERS: `Authorization: Bearer ${key}` };

it("A1.7 lists key, value and source; secrets show their last 4 characters", async () => {
  const loaded = await loadSettings({ env, home: "/h", trusted: false, readFile: () => undefined });
  if (!loaded.ok) throw new Error(loaded.error.what);
  const lines = listSettings(loaded.value);
  const text = settingsText(lines);
  expect(lines.map((l) => l.key)).toEqual(settingsTable.map((row) => row.key));
  expect(lines.find((l) => l.key === "providers.openai.apiKey")).toMatchObject({
    value: "…abcd",
    source: "environment OPENAI_API_KEY",
  });
  expect(lines.find((l) => l.key === "provider.apiKey")?.value).toBe("…");
  expect(text + JSON.stringify(lines)).not.toMatch(/0123456789|short/);
});

it("A1.1 the docs page and the help hold every row", () => {
  for (const row of settingsTable) {
    expect(settingsPage()).toContain(`| \`${row.key}\` |`);
    for (const name of row.env) expect(environmentText()).toContain(name.replace("!", ""));
  }
});

it("A1.1 no key, variable or flag is declared twice, and every default passes its own row", () => {
  for (const list of [
    settingsTable.map((row) => row.key),
    settingsTable.flatMap((row) => row.env),
    settingsTable.flatMap((row) => row.flags ?? []),
  ]) {
    expect(new Set<string>(list).size).toBe(list.length);
  }
  for (const row of settingsTable) {
    if (row.default !== undefined) expect(parseValue(row, row.default), row.key).toEqual(row.default);
    if (row.env[0] && !row.key.startsWith("providers.")) expect(row.env[0]).toMatch(/^EVERLONG_[A-Z_*]+$/);
  }
});
