// A scripted model and a place to work in, checked at the test's end: no refused request, live state equal to the replayed one.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import type { Recorded } from "../model-server/recorded.ts";
import { type Call, calls, type Reply } from "../model-server/reply.ts";
import { type Answerer, type ModelServer, type ServerOptions, startModelServer } from "../model-server/server.ts";
import { type Place, placeFor, sessionsOf } from "../tool/everlong.ts";

export type Scene = { server: ModelServer; place: Place };

export type SceneOptions = Omit<ServerOptions, "script"> & { env?: Record<string, string> };

export async function scene(script: Reply[] | Answerer, { env = {}, ...options }: SceneOptions = {}): Promise<Scene> {
  const server = await startModelServer({ ...options, script });
  const place = placeFor(server, env);
  onTestFinished(async () => {
    await server.close();
    expect(server.rejected.map((r) => r.violation)).toEqual([]);
    // A session that was left before its first message has no log.
    const logs = sessionsOf(place).map((id) => join(place.home, "sessions", id, "events.jsonl"));
    for (const log of logs.filter((path) => existsSync(path)))
      expect(readFileSync(log, "utf8")).not.toContain("replay_mismatch");
  });
  return { server, place };
}

/** For beforeAll: a scene that tests only copy; the caller ends it. */
export async function sharedScene(script: Reply[] | Answerer): Promise<Scene & { end: () => Promise<void> }> {
  const server = await startModelServer({ script });
  const base = mkdtempSync(join(tmpdir(), "everlong-shared-"));
  const folder = join(base, "work");
  mkdirSync(folder);
  const env = {
    EVERLONG_BASE_URL: server.url,
    EVERLONG_MODEL: "scripted",
    EVERLONG_API_KEY: "test-key-0123456789",
    EVERLONG_VERIFY_REPLAY: "1",
  };
  const end = async () => {
    await server.close();
    rmSync(base, { recursive: true, force: true });
    expect(server.rejected.map((r) => r.violation)).toEqual([]);
  };
  return { server, place: { home: join(base, "home"), folder, env }, end };
}

/** The same folder and server with a home of its own. */
export function withOwnHome(place: Place): Place {
  const base = mkdtempSync(join(tmpdir(), "everlong-copy-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  cpSync(place.home, join(base, "home"), { recursive: true });
  return { ...place, home: join(base, "home") };
}

export const bash = (command: string, more: Record<string, unknown> = {}, id?: string): Call => ({
  ...(id === undefined ? {} : { id }),
  name: "bash",
  args: { command, description: "test", ...more },
});

export const oneCall = (name: string, args: object | string, id?: string): Reply =>
  calls([{ name, args, ...(id === undefined ? {} : { id }) }]);

type Message = {
  role: string;
  content: unknown;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
};

/** Messages of an openai-chat request. */
export function messagesOf(request: Recorded | undefined): Message[] {
  return (request?.body as { messages: Message[] } | undefined)?.messages ?? [];
}

export const textOf = (message: Message | undefined): string =>
  typeof message?.content === "string" ? message.content : JSON.stringify(message?.content ?? "");

export const systemOf = (request: Recorded | undefined): string => textOf(messagesOf(request)[0]);

/** Texts of the user's role, oldest first. */
export const userTexts = (request: Recorded | undefined): string[] =>
  messagesOf(request)
    .filter((m) => m.role === "user")
    .map(textOf);

export const toolResults = (request: Recorded | undefined): { id: string; text: string }[] =>
  messagesOf(request)
    .filter((m) => m.role === "tool")
    .map((m) => ({ id: m.tool_call_id ?? "", text: textOf(m) }));

export const offeredTools = (request: Recorded | undefined): string[] =>
  ((request?.body as { tools?: { function: { name: string } }[] } | undefined)?.tools ?? []).map(
    (t) => t.function.name,
  );

export const writeIn = (place: Place, name: string, text: string): void =>
  writeFileSync(join(place.folder, name), text);
export const readIn = (place: Place, name: string): string => readFileSync(join(place.folder, name), "utf8");

export const gitInit = (place: Place): void =>
  void execFileSync("git", ["init", "-q", "-b", "main"], { cwd: place.folder });

type Awaitable<T> = T | Promise<T>;

/** Polls until the condition gives something, more rarely the longer it takes; fails after `ms`. */
export async function until<T>(what: string, get: () => Awaitable<T | undefined | false>, ms = 60_000): Promise<T> {
  const end = Date.now() + ms;
  for (let pause = 10; ; pause = Math.min(200, pause * 1.2)) {
    const value = await get();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}.`);
    await wait(pause);
  }
}

/** The id of the session that a run's metrics name, or of the only session. */
export const onlySession = (place: Place): string => {
  const ids = sessionsOf(place);
  expect(ids).toHaveLength(1);
  return ids[0] ?? "";
};
