// A board on a store of its own, and what writes to it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { migrate } from "../../store/migrate.ts";
import { storeMigrations } from "../../store/migrations.ts";
import { type Database, openDatabase } from "../../store/sqlite.ts";
import { secretFilter, secretRedactor } from "../secret/filter.ts";
import { checkItem } from "./check.ts";
import type { BoardItem, BoardWriter, ItemText } from "./item.ts";

export const place = { repository: "acme/app", branch: "main" };
export const redactor = secretRedactor("key");
export const redact = secretFilter("key");
export const user: BoardWriter = { actor: "user", source: {} };

export async function openBoard(): Promise<Database> {
  const dir = mkdtempSync(join(tmpdir(), "everlong-board-"));
  const opened = await openDatabase(join(dir, "store.db"));
  if (!opened.ok) throw new Error(opened.error.what);
  onTestFinished(() => {
    opened.value.close();
    rmSync(dir, { recursive: true, force: true });
  });
  await migrate(opened.value, storeMigrations);
  return opened.value;
}

export function text(name: string, content = `content of ${name}`, description = `about ${name}`): ItemText {
  const checked = checkItem(redactor, { name, description, content });
  if (!checked.ok) throw new Error(checked.error.message);
  return checked.value.text;
}

let tick = 0;
/** Later at every call. */
export const later = (): string => new Date(Date.UTC(2026, 0, 1) + ++tick * 1000).toISOString();

export const item = (more: Partial<BoardItem> = {}): BoardItem => ({
  src: "agent",
  name: "build",
  description: "how to build",
  content: "npm run build",
  readCount: 0,
  count: 0,
  version: 1,
  author: "rem-agent",
  source: {},
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  lastReadAt: null,
  ...more,
});
