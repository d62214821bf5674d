// Definition files for a test: agents and skills, written where their users would put them.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Recorded } from "../model-server/recorded.ts";

/** Writes a file with the folders above it; returns its path. */
export function put(base: string, path: string, text: string | Buffer): string {
  const whole = join(base, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

/** Markdown with frontmatter; values are YAML as given. */
export function definition(fields: Record<string, string>, body = "You do what you are told."): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return ["---", ...lines, "---", body, ""].join("\n");
}

/** What the model reads about a tool. */
export function toolText(request: Recorded | undefined, name: string): string {
  const { tools = [] } = (request?.body ?? {}) as { tools?: { function: { name: string; description: string } }[] };
  return tools.find((tool) => tool.function.name === name)?.function.description ?? "";
}
