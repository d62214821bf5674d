// A scripted main agent and its scripted subagents: who asks is told by the first user message of the request.

import { messagesOf, type Scene, type SceneOptions, scene, textOf } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { type Call, calls, type Reply, text } from "../model-server/reply.ts";
import type { Place } from "../tool/everlong.ts";
import { logOf } from "../tool/everlong.ts";

type Part = Reply[] | ((request: Recorded, step: number) => Reply | Promise<Reply>);

/** `parts`: by a word in the first prompt of a conversation; `main` is whoever else asks. */
export async function cast(
  main: Part,
  parts: Record<string, Part>,
  options: SceneOptions = {},
): Promise<Scene & { of: (word: string) => Recorded[] }> {
  const steps = new Map<string, number>();
  const whoAsks = (request: Recorded): string =>
    Object.keys(parts).find((word) => firstPrompt(request).includes(word)) ?? "main";
  const made = await scene(async (request) => {
    const who = whoAsks(request);
    const part = who === "main" ? main : (parts[who] ?? main);
    const step = steps.get(who) ?? 0;
    steps.set(who, step + 1);
    if (typeof part === "function") return part(request, step);
    return part[step] ?? text(`${who} has nothing more to say`);
  }, options);
  return { ...made, of: (word) => made.server.requests.filter((r) => whoAsks(r) === word) };
}

export const firstPrompt = (request: Recorded): string => textOf(messagesOf(request).find((m) => m.role === "user"));

export const task = (prompt: string, more: Record<string, unknown> = {}): Call => ({
  name: "task",
  args: { description: "a test", prompt, agent_type: "general-purpose", name: "worker", ...more },
});

export const tasks = (...list: Call[]): Reply => calls(list);

/** Data of the events of one type, in order. */
export function eventsOf(place: Place, id: string, type: string): Record<string, unknown>[] {
  return logOf(place, id)
    .filter((e) => e.type === type)
    .map((e) => ({ ...(e.data as object), envelopeAgentId: e.agentId }));
}
