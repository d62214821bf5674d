// A stand-in for an agent: a small program on PATH under the agent's name, run by the suite's own Node.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Place } from "../tool/everlong.ts";

/** `script` is the body of an ES module; gives the PATH that finds it. */
export function standIn(place: Place, name: string, script: string): string {
  const folder = join(dirname(place.home), "bin");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, script);
  writeFileSync(join(folder, name), `#!/bin/sh\nexec ${process.execPath} ${path} "$@"\n`);
  chmodSync(join(folder, name), 0o755);
  return `${folder}:${process.env["PATH"] ?? ""}`;
}

/** Asks Claude's model once, with the headers that Claude Code would send, and prints the answer's text. */
export const askClaude = `
const answer = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
  method: "POST",
  headers: { "content-type": "application/json", "user-agent": "claude-cli/2.1.325", "anthropic-version": "2023-06-01",
    ...(process.env.ANTHROPIC_API_KEY ? { "x-api-key": process.env.ANTHROPIC_API_KEY } : {}) },
  body: JSON.stringify({ model: "claude-x", max_tokens: 10, messages: [{ role: "user", content: "hi" }] }),
});
const body = await answer.json();
console.log(answer.status, body.content?.[0]?.text ?? JSON.stringify(body));
`;
