// A session with real MCP servers: scripts of test/mcp-server, named in the files where users name them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Scene, type SceneOptions, scene } from "../agent/scene.ts";
import { program } from "../mcp-server/program.ts";
import type { Recorded } from "../model-server/recorded.ts";
import type { Reply } from "../model-server/reply.ts";
import type { Answerer } from "../model-server/server.ts";
import type { Place } from "../tool/everlong.ts";

export type Entry = Record<string, unknown>;

/** A server of test/mcp-server with its options. */
export const server = (name: string, ...args: unknown[]): Entry =>
  program(name, ...args.map((arg) => (typeof arg === "string" ? arg : JSON.stringify(arg))));

export type McpScene = Scene & {
  /** What the servers write down, line by line. */
  journal: () => string[];
  journalFile: string;
};

/** `servers` stand in the project's .mcp.json. */
export async function mcpScene(
  script: Reply[] | Answerer,
  servers: (journal: string) => Record<string, Entry>,
  options: SceneOptions = {},
): Promise<McpScene> {
  const made = await scene(script, options);
  const journalFile = join(dirname(made.place.home), "journal");
  name(made.place, servers(journalFile));
  const journal = (): string[] =>
    existsSync(journalFile) ? readFileSync(journalFile, "utf8").trim().split("\n").filter(Boolean) : [];
  return { ...made, journal, journalFile };
}

/** Writes them to the project's .mcp.json. */
export const name = (place: Place, servers: Record<string, Entry>): void =>
  writeFileSync(join(place.folder, ".mcp.json"), JSON.stringify({ mcpServers: servers }));

export function inHome(place: Place, file: string, content: unknown): void {
  const path = join(place.home, file);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
}

/** Names of the offered tools that come from servers. */
export const mcpTools = (request: Recorded | undefined, server: string): string[] =>
  ((request?.body as { tools?: { function: { name: string } }[] } | undefined)?.tools ?? [])
    .map((t) => t.function.name)
    .filter((tool) => tool.startsWith(`${server}-`));

export const pidsIn = (lines: readonly string[]): number[] =>
  lines.flatMap((line) => (line.startsWith("pid ") ? [Number(line.slice(4))] : []));

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
