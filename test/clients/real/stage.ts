// A home, a project and a scripted model for one real client; the model asks for shell commands, then says it is done.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Recorded } from "../../model-server/recorded.ts";
import { text } from "../../model-server/reply.ts";
import { type ModelServer, type ServerOptions, startModelServer } from "../../model-server/server.ts";
import { type Place, run } from "../../tool/everlong.ts";
import { openScreen } from "../../tui/screen.ts";
import { type Client, installed } from "./client.ts";

export const ANSWER = "All done: the marker is PELICAN.";

export type Stage = {
  client: Client;
  place: Place;
  /** The user's home. */
  home: string;
  server: ModelServer;
  with(args: string[]): Promise<Ended>;
  /** Goes on with the last session of the project. */
  resume(prompt: string): Promise<Ended>;
};

type Ended = { code: number | null; stdout: string; stderr: string };

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
    // A slow machine must not lose what it looked for.
    EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000",
    ...client.env,
    ...place.env,
  };
  const own: Place = { ...place, env };
  const start: Stage["with"] = (args) => run(own, ["with", client.name, ...args], { timeoutMs: 240_000 });
  const resume: Stage["resume"] = (prompt) => {
    const args = client.resume(prompt, { folder: own.folder, home });
    return client.typesAt === undefined
      ? start(args)
      : typed(own, ["with", client.name, ...args], client.typesAt, prompt);
  };
  return { client, home, server, place: own, with: start, resume };
}

/** The prompt typed into the client's full-screen interface, which is left when the answer is there. */
async function typed(place: Place, args: string[], ready: string, prompt: string): Promise<Ended> {
  const screen = openScreen(place, { args, columns: 160, rows: 50 });
  await screen.see(ready);
  screen.type(prompt);
  await screen.see(prompt);
  // While a long session is still being loaded the key is lost; in an empty editor it does nothing.
  const send = (): boolean => {
    if (!screen.text().includes(ready)) screen.press("enter");
    return screen.text().includes(ready);
  };
  await expect.poll(send, { interval: 2_000 }).toBe(true);
  await expect.poll(() => screen.text().split(prompt).at(-1)).toContain(ANSWER);
  const stdout = screen.text();
  screen.press("ctrl+c");
  await screen.quiet();
  screen.press("ctrl+c");
  return { code: await screen.exit, stdout, stderr: "" };
}

/** Whether it belongs to the conversation; what a client asks beside it has other tools or none. */
export const talks = (client: Client, { rawBody }: Recorded): boolean =>
  rawBody.includes(`"name":"${client.tool}"`) &&
  /"tools":\[|"additional_tools"/.test(rawBody) &&
  !rawBody.includes('"tool_choice":"none"');

/** N26: nothing of ours is in what a client asks beside the conversation; its compaction is the conversation still. */
export function expectBareSide(server: ModelServer, client: Client, certain = client.side): void {
  const side = server.requests.filter(
    (request) => !talks(client, request) && !request.rawBody.includes('"tool_choice":"none"'),
  );
  expect(side.filter(({ rawBody }) => rawBody.includes("<everlong_"))).toHaveLength(0);
  if (certain) expect(side.some(({ rawBody }) => certain.test(rawBody))).toBe(true);
}

/** What a model says when it is asked to sum up: as long as such answers are. */
const SUMMARY = Array.from(
  { length: 12 },
  (_, i) => `${i + 1}. Part ${i + 1} of the log was read; nothing in it was odd.`,
);

/** What a model says when gemini asks whether it goes round in circles: without JSON it is asked ever again. */
const NO_LOOP = '{"unproductive_state_analysis":"It goes on.","unproductive_state_confidence":0.1}';

/** The commands are asked for one after another in the conversation itself, then it ends; what is asked beside it is summed up. */
export function scriptShell(server: ModelServer, client: Client, commands: readonly string[]): void {
  const left = [...commands];
  server.always((request) => {
    if (request.rawBody.includes("unproductive_state")) return text(NO_LOOP);
    if (!talks(client, request)) return text(`Summary of ${commands.length} steps.\n${SUMMARY.join("\n")}`);
    const command = left.shift();
    return command === undefined ? text(ANSWER) : client.shell(command);
  });
}
