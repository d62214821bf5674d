// A board to look at, and rem-agent on the stage.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messagesOf, systemOf } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import type { Call } from "../model-server/reply.ts";
import { type Place, run } from "../tool/everlong.ts";

export type Row = { src: string; name: string; content: string; read_count: number; count: number; version: number };

/** Rows of every board in this home, in order of their names. */
export function boardOf(place: Place): Row[] {
  const path = join(place.home, "store.db");
  if (!existsSync(path)) return [];
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db.prepare("SELECT * FROM dynamic_context_items ORDER BY src, name").all() as Row[];
  } finally {
    db.close();
  }
}

export const board = (command: string, more: Record<string, unknown> = {}): Call => ({
  name: "context_board",
  args: { command, ...more },
});
export const add = (name: string, context = `content of ${name}`): Call =>
  board("add", { name, description: `about ${name}`, context });

/** Whether it is rem-agent that asks. */
export const isRem = (request: Recorded | undefined): boolean =>
  systemOf(request).includes("consolidate what one session");

/** How often this conversation has already been answered. */
export const stepOf = (request: Recorded): number => messagesOf(request).filter((m) => m.role === "assistant").length;

export const userAdd = (place: Place, name: string, content = `content of ${name}`) =>
  run(place, ["board", "add", name, "--description", `about ${name}`, "--content", content]);
