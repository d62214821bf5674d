// A home, a project and a scripted model for one real client; the model asks for shell commands, then says it is done.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Recorded } from "../../model-server/recorded.ts";
import { text } from "../../model-server/reply.ts";
import { type ModelServer, type ServerOptions, startModelServer } from "../../model-server/server.ts";
import { type Finished, type Place, run } from "../../tool/everlong.ts";
import { type Client, installed } from "./client.ts";

export const ANSWER = "All done: the marker is PELICAN.";

export type Stage = {
  client: Client;
  place: Place;
  /** The user's home. */
  home: string;
  server: ModelServer;
  with(args: string[]): Promise<Finished>;
};

export async function stageFor(
  client: Client,
  options: ServerOptions = {},
  env: Record<string, string> = {},
): Promise<Stage> {
  const server = await startModelServer({ strict: false, models: ["gpt-5"], ...options });
  onTestFinished(() => server.close());
  // Not in a temporary folder that others can write to: gemini and codex look at the folders above.
  const base = mkdtempSync(join(homedir(), ".everlong-clients-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
  const [home, folder] = [join(base, "user"), join(base, "project")];
  for (const made of [home, folder]) mkdirSync(made);
  execFileSync("git", ["init", "-q", folder]);
  writeFileSync(join(folder, "a.txt"), "hello PELICAN\n");
  return staged(client, { home, server, place: { home: join(base, "everlong"), folder, env } });
}

/** The same user and project, with another client or with a gateway that has seen nothing (`home`). */
export function beside(
  stage: Stage,
  { client = stage.client, home, env = {} }: { client?: Client; home?: string; env?: Record<string, string> },
): Stage {
  const { place } = stage;
  return staged(client, {
    ...stage,
    place: { ...place, env, home: home === undefined ? place.home : join(dirname(place.home), home) },
  });
}

function staged(client: Client, { home, server, place }: Pick<Stage, "home" | "server" | "place">): Stage {
  client.prepare?.(home, server.url);
  const env = {
    // The clients' scripts want a newer Node than the machine's.
    PATH: `${installed(client)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    EVERLONG_UPSTREAM_OPENAI: server.url,
    EVERLONG_UPSTREAM_ANTHROPIC: server.url,
    EVERLONG_UPSTREAM_GEMINI: server.url,
    ...client.env,
    ...place.env,
  };
  const own: Place = { ...place, env };
  const start: Stage["with"] = (args) => run(own, ["with", client.name, ...args], { timeoutMs: 240_000 });
  return { client, home, server, place: own, with: start };
}

/** Whether it belongs to the conversation; what a client asks beside it has other tools or none. */
export const talks = (client: Client, { rawBody }: Recorded): boolean =>
  rawBody.includes(`"name":"${client.tool}"`) && !rawBody.includes('"tool_choice":"none"');

/** What a model says when it is asked to sum up: as long as such answers are. */
const SUMMARY = Array.from(
  { length: 12 },
  (_, i) => `${i + 1}. Part ${i + 1} of the log was read; nothing in it was odd.`,
);

/** The commands are asked for one after another in the conversation itself, then it ends; what is asked beside it is summed up. */
export function scriptShell(server: ModelServer, client: Client, commands: readonly string[]): void {
  const left = [...commands];
  server.always((request) => {
    if (!talks(client, request)) return text(`Summary of ${commands.length} steps.\n${SUMMARY.join("\n")}`);
    const command = left.shift();
    return command === undefined ? text(ANSWER) : client.shell(command);
  });
}
