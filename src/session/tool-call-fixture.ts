// For the tests of tool calls: a session of which only that part is real that runs calls.

import * as z from "zod";
import { systemClock } from "../base/clock.ts";
import { newId } from "../base/id.ts";
import { optional } from "../base/optional.ts";
import { type HookOutcome, noOutcome } from "../hook/merge.ts";
import type { HookInputs, HookName } from "../hook/name.ts";
import type { ModelTarget } from "../model/contract.ts";
import { makePolicy, type PolicyInput } from "../permission/policy.ts";
import type { EventData } from "../schema/event/envelope.ts";
import type { PermissionAnswer, PermissionRequest } from "../schema/permission.ts";
import { success, type Tool } from "../tool/contract.ts";
import type { PermitCall, RunHook, SessionParts } from "./parts.ts";
import { Door, type PermissionQuestion, type PermitActor } from "./permit.ts";
import { newLiveState, type Session } from "./session.ts";
import { emptyState } from "./state.ts";
import { runToolStep } from "./tool-step.ts";

export type Hooks = { [N in HookName]?: (input: HookInputs[N], signal: AbortSignal) => Partial<HookOutcome> };

export type Bench = {
  session: Session;
  /** Every event, with its data and whose it is. */
  events: { type: string; data: Record<string, unknown>; agentId?: string }[];
  /** What happened, in order: hooks by name, tools by what they did. */
  trace: string[];
  questions: PermissionQuestion[];
  run: (calls: { name: string; args: unknown }[], signal?: AbortSignal) => Promise<string[]>;
};

export type BenchOptions = {
  hooks?: Hooks;
  policy?: Partial<PolicyInput>;
  answer?: PermissionAnswer | Promise<PermissionAnswer>;
  /** What a workflow refuses. */
  refuse?: NonNullable<SessionParts["tools"]["refuse"]>;
  slots?: number;
  /** Runs the calls as this subagent. */
  agent?: string;
};

/** `touch` writes the file it is given, `sql` asks for nothing, `silent` never ends by itself. */
const tools = (trace: string[]): Tool[] => {
  const base = { description: "", permissions: (): PermissionRequest[] => [] };
  return [
    {
      ...base,
      name: "touch",
      input: z.strictObject({ path: z.string() }),
      permissions: (input) => [{ kind: "write", path: (input as { path: string }).path }],
      lane: (input) => (input as { path: string }).path,
      run: async (input) => {
        const { path } = input as { path: string };
        trace.push(`begin ${path}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        trace.push(`end ${path}`);
        return success(`touched ${path}`, { files: [{ path, operation: "create" }] });
      },
    },
    { ...base, name: "sql", input: z.strictObject({ query: z.string() }), run: async () => success("1 row") },
    {
      ...base,
      name: "silent",
      input: z.strictObject({}),
      run: (_input, { signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(success("late")), { once: true })),
    },
  ];
};

export function bench({ hooks = {}, policy = {}, answer, refuse, slots = 4, agent }: BenchOptions = {}): Bench {
  const events: Bench["events"] = [];
  const trace: string[] = [];
  const questions: PermissionQuestion[] = [];
  const all = tools(trace);
  const sessionOf = (agentId?: string): Session =>
    ({
      id: "s1",
      dir: "/nowhere/home/sessions/s1",
      root: "/nowhere/work",
      ...(agentId ? { agentId } : {}),
      state: { ...emptyState(), context: { cwd: "/nowhere/work" } },
      emit: async (type: string, data: Record<string, unknown>) => {
        events.push({ type, data, ...(agentId ? { agentId } : {}) });
        if (type.startsWith("tool.")) trace.push(type);
      },
      publish: () => undefined,
      live: newLiveState(emptyState()),
    }) as unknown as Session;
  const main = sessionOf();
  const session = agent ? sessionOf("a1") : main;
  const hook: RunHook = async (name, input, signal) => {
    trace.push(name);
    return { ...noOutcome, ...hooks[name]?.(input, signal) };
  };
  const actor: PermitActor = { conversation: session, hook, ...(agent ? { name: agent } : {}) };
  const door = new Door({
    main,
    policy: () =>
      makePolicy({
        root: main.root,
        cwd: main.root,
        sessionDir: main.dir,
        everlongHome: "/nowhere/home",
        userHome: "/nowhere/user",
        tempDir: "/nowhere/tmp",
        ...policy,
      }),
    userHome: "/nowhere/user",
    store: async () => undefined,
    ...(answer
      ? {
          ask: async (question) => {
            questions.push(question);
            return answer;
          },
        }
      : {}),
  });
  session.parts = {
    system: { clock: systemClock, newId },
    limits: { maxSteps: 9, maxParallelTools: slots, streamIdleMs: 1000, maxStopBlocks: 5 },
    tools: {
      offered: () => ({ tools: all, definitions: [] }),
      lane: async (tool: Tool, input: unknown) => tool.lane?.(input, { cwd: main.root }),
      bound: async (_id: string, content: string) => ({ content, bytes: content.length, lines: 1 }),
      ...optional("refuse", refuse),
    },
    permission: {
      permit: (call: PermitCall) => {
        trace.push("permit");
        return door.permit({ ...call, actor });
      },
      allowedPath: () => true,
    },
    hook,
    model: { target: () => ({ entry: { supports: { images: true } } }) as ModelTarget },
  } as unknown as SessionParts;
  return {
    session,
    events,
    trace,
    questions,
    async run(calls, signal = new AbortController().signal) {
      const requests = calls.map(({ name, args }, n) => ({ toolCallId: `c${n}`, name, arguments: args }));
      await runToolStep(session, "t1", requests, signal);
      const results = events.filter((e) => e.type === "tool.execution_complete");
      return requests.map(({ toolCallId }) => {
        const [one, ...more] = results.filter((e) => e.data["toolCallId"] === toolCallId);
        if (!one || more.length > 0) throw new Error(`Not one result for ${toolCallId}.`);
        return (one.data as EventData<"tool.execution_complete">).result.content;
      });
    },
  };
}
