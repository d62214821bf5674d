// A scripted model with a small window, a place to work in, and the checks that every suite of this folder ends with.
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { recall } from "../../src/command/recall.ts";
import { type Client, type OpenOptions, openClient, type SessionChoice } from "../../src/runtime/client.ts";
import type { Envelope } from "../../src/schema/event/envelope.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { type Reply, text } from "../model-server/reply.ts";
import { type ModelServer, type ServerOptions, startModelServer } from "../model-server/server.ts";
import { setEnvironment } from "../tool/environment.ts";
import { logOf, only, type Place, placeFor, sessionsOf } from "../tool/everlong.ts";

export const LIMIT = 24_000;

/** A summary must be worth what it replaces: this is about a hundredth of the window. */
export const DETAILS =
  `Tokens are tuples. ${"The lexer gives them to the parser one by one, with their place. ".repeat(18)}`.trim();

export const SUMMARY =
  "<overview>The user builds a parser [t1].</overview><history>Files were read.</history><work_done>Lexer done.</work_done>" +
  `<technical_details>${DETAILS}</technical_details><important_files>src/parser.ts</important_files>` +
  "<next_steps>Write the grammar.</next_steps><checkpoint_title>Parser work</checkpoint_title>";

export const isSummary = ({ headers }: Pick<Recorded, "headers">): boolean =>
  headers["x-interaction-type"] === "conversation-compaction";

/** `index` counts requests of its own kind only. */
export type Part = (request: Recorded, index: number) => Reply | Promise<Reply>;

export type Stage = { server: ModelServer; place: Place; summaries: () => Recorded[]; mains: () => Recorded[] };

export type StageOptions = Omit<ServerOptions, "script"> & {
  limit?: number;
  env?: Record<string, string>;
  summary?: Part;
  /** Refusals for size are part of the test. */
  refusals?: true;
};

/** The server counts four characters a token, so its limit is a little above ours. */
const SLACK = 1.3;

export async function stage(main: Part, options: StageOptions = {}): Promise<Stage> {
  const { limit = LIMIT, env = {}, summary = () => text(SUMMARY), refusals, ...rest } = options;
  const counts = { main: 0, summary: 0 };
  const server = await startModelServer({ maxTokens: limit * SLACK, ...rest });
  server.always((request) => (isSummary(request) ? summary(request, counts.summary++) : main(request, counts.main++)));
  const place = placeFor(server, {
    EVERLONG_MAX_PROMPT_TOKENS: String(limit),
    EVERLONG_ALLOW_ALL: "1",
    // The windows here are small: tools that no conversation of these suites uses do not take their room.
    EVERLONG_TOOL_EXCLUDE: "task,read_agent,write_agent,stop_agent,list_agents,read_inbox,store_memory,vote_memory",
    ...env,
  });
  onTestFinished(async () => {
    await server.close();
    expect(server.rejected.map((r) => r.violation)).toEqual([]);
    if (!refusals) expect(server.requests.filter((r) => r.overLimit).map((r) => r.index)).toEqual([]);
    for (const id of sessionsOf(place)) checkLog(logOf(place, id));
  });
  return {
    server,
    place,
    summaries: () => server.requests.filter(isSummary),
    mains: () => server.requests.filter((r) => !isSummary(r)),
  };
}

/** C110 CI7: one complete for each start, figures that add up, automatic ones below their target; live equals replayed. */
export function checkLog(log: readonly Envelope[]): void {
  const events = [...log];
  expect(only(events, "session.error").map((e) => e.data.code)).not.toContain("replay_mismatch");
  const ids = (type: "session.compaction_start" | "session.compaction_complete"): string[] =>
    only(events, type).map((e) => e.data.compactionAttemptId);
  expect(ids("session.compaction_complete")).toEqual(ids("session.compaction_start"));
  for (const { data } of only(events, "session.compaction_complete")) {
    expect(data.tokensRemoved).toBe(Math.max(0, data.preCompactionTokens - data.postCompactionTokens));
    expect(data.messagesRemoved).toBe(data.preCompactionMessagesLength - data.postCompactionMessagesLength);
    if (data.outcome !== "applied" || data.trigger === "manual") continue;
    expect(data.postCompactionTokens).toBeLessThanOrEqual(data.targetTokens);
    expect(data.postCompactionTokens).toBeLessThan(data.preCompactionTokens);
  }
}

/** C103: at most two calls for each attempt that was not chunked. */
export const callsPerAttempt = (log: readonly Envelope[]): number[] =>
  only([...log], "session.compaction_complete").map((e) => e.data.compactionTokensUsed?.requestCount ?? 0);

export const outcomes = (log: readonly Envelope[]): string[] =>
  only([...log], "session.compaction_complete").map(
    ({ data }) => data.outcomeReason ?? data.failureReason ?? data.outcome,
  );

/** Prose of about so many tokens, different for each name, so that nothing of it is like anything else. */
export function prose(tokens: number, name: string): string {
  const lines: string[] = [];
  for (let n = 1; lines.length * 12 < tokens; n++) lines.push(`${name} line ${n}: the quick brown fox rests here.`);
  return lines.join("\n");
}

export type Conversation = {
  client: Client;
  /** All that was told so far, ephemeral events too. */
  events: Envelope[];
  /** Sends and waits; gives what was told meanwhile. */
  say: (text: string) => Promise<Envelope[]>;
  close: () => Promise<void>;
};

export type Talk = Partial<Pick<OpenOptions, "prompts" | "interactive" | "flags">> & {
  resume?: string;
  env?: Record<string, string>;
};

/** The session in this process: the same code below the faces, for suites of many turns. One at a time. */
export async function converse(place: Place, talk: Talk = {}): Promise<Conversation> {
  const { resume, env = {}, ...more } = talk;
  const home = { HOME: dirname(place.home), EVERLONG_HOME: place.home, OLLAMA_HOST: "http://127.0.0.1:9" };
  mkdirSync(place.folder, { recursive: true });
  setEnvironment({ ...home, ...place.env, ...env }, place.folder);
  const session: SessionChoice = resume === undefined ? { type: "new" } : { type: "resume", id: resume };
  const base = { flags: {}, prompts: {}, trustFolder: false, mode: "interactive" as const, interactive: false };
  const opened = await openClient({ ...base, session, ...more });
  if (!opened.ok) throw new Error(opened.error.what);
  const { client } = opened.value;
  const events: Envelope[] = [];
  const stop = client.on((event) => events.push(event));
  let open = true;
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await client.close({ type: "routine" });
    stop();
  };
  onTestFinished(close);
  return {
    client,
    events,
    async say(said) {
      const from = events.length;
      await client.send(said);
      await client.untilIdle();
      return events.slice(from);
    },
    close,
  };
}

export const fileOf = (place: Place, id: string, ...names: string[]): string =>
  readFileSync(join(place.home, "sessions", id, ...names), "utf8");

/** A promise and its key. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** What `/recall` shows. */
export async function recalled(client: Client, query: string): Promise<string> {
  const outcome = await recall.slash.run?.(query, client, { on: client, person: { print: () => {} }, commands: [] });
  return outcome?.ok ? outcome.value.text : "";
}
