// The pages that are made from the program's tables: this suite fails when one is not, and UPDATE_DOCS=1 writes them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keyTable } from "../src/command/key-table.ts";
import { commandsPage } from "../src/command/page.ts";
import { commands } from "../src/command/table.ts";
import { settingsPage } from "../src/settings/describe.ts";
import { keysPage } from "../src/tui/key/page.ts";

function holds(name: string, text: string): void {
  const file = join(import.meta.dirname, "..", "docs", name);
  if (process.env["UPDATE_DOCS"]) writeFileSync(file, text);
  expect(readFileSync(file, "utf8")).toBe(text);
}

it("A1.1 docs/settings.md lists every setting with its default", () => holds("settings.md", settingsPage()));
it("F39 docs/keys.md lists every action with its keys", () => holds("keys.md", keysPage(keyTable)));
it("docs/commands.md lists every command with its options", () => holds("commands.md", commandsPage(commands)));
