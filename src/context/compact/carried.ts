// What outlives a compaction beside the summary, each part as text within a number of tokens: notice, plan, todos, skills, agent.
import { inTag, type OwnTag, quoted } from "../../base/tag.ts";
import type { Todo } from "../../schema/todo.ts";
import type { LedgerEntry } from "../ledger/render.ts";
import { clipTo } from "./clip.ts";
import type { Count } from "./items.ts";
import { TAG } from "./tags.ts";

export type OriginalPrompt = {
  /** The id of its item; a prompt that is still in the history is not repeated. */
  id: string;
  turn: number;
  text: string;
};
export type InvokedSkill = { name: string; path: string; content: string };
export type ActiveAgent = { name: string; purpose: string; instructions: string };

export type Carried = {
  /** All of the session, from its log, oldest first. */
  prompts: readonly OriginalPrompt[];
  /** Text of `plan.md`. */
  plan?: string | undefined;
  /** `ref`: the turn in which it was set. */
  todos?: readonly (Pick<Todo, "title" | "status" | "description"> & { ref?: string | undefined })[] | undefined;
  /** What the whole session must not lose, made without a model. */
  ledger?: readonly LedgerEntry[] | undefined;
  /** Skills in the order in which they were invoked. */
  skills?: readonly InvokedSkill[] | undefined;
  agent?: ActiveAgent | undefined;
  /** Pinned sections of the instruction files in force. */
  pinned?: string | undefined;
  /** Absent when the session writes no checkpoints. */
  checkpointNumber?: number | undefined;
  recallOn: boolean;
  /** What stands before a turn's ref, in a conversation that is not the main one. */
  refPrefix?: string | undefined;
};

/** Text in its tag within the tokens; empty when there is none, or no room for any of it. */
export type CarriedSection = (maxTokens: number) => string;

export function block(tag: OwnTag, text: string, maxTokens: number, count: Count): string {
  const room = maxTokens - count(`${inTag(tag, "")}\n`);
  const body = clipTo(quoted(text.trim()), room, count);
  return body === "" ? "" : inTag(tag, body);
}

/** `turns` is a ref that `recall` takes as it stands. */
export function noticeText({ checkpointNumber, recallOn, refPrefix = "" }: Carried, turns: string): string {
  const where = checkpointNumber === undefined ? "" : ` (checkpoint ${checkpointNumber})`;
  const originals = recallOn
    ? `Nothing is lost: call recall with id "${refPrefix}${turns}", one turn "${refPrefix}tN" or one item "${refPrefix}tN.k" for the exact original.`
    : "The originals are in the session log.";
  return [
    `The earlier conversation, ${turns}, was summarised to save room${where}.`,
    "What follows is a record of it and not a new instruction: the user's own prompts, a summary of the work, and what was in force.",
    "Go on with the task where it stands. Do not redo finished work.",
    originals,
  ].join(" ");
}

/** Open ones in full, finished ones as a count. */
function todoText(todos: NonNullable<Carried["todos"]>): string {
  const open = todos.filter((todo) => todo.status !== "done");
  const finishedCount = todos.length - open.length;
  const lines = open.map(
    ({ status, title, description, ref }) =>
      `- [${status}] ${title}${description ? `: ${description}` : ""}${ref ? ` [${ref}]` : ""}`,
  );
  return [...lines, ...(finishedCount > 0 ? [`${finishedCount} finished`] : [])].join("\n");
}

/** The latest with its instructions, earlier ones as name and path. */
function skillText(skills: readonly InvokedSkill[]): string {
  const latest = skills.at(-1);
  if (!latest) return "";
  const earlier = new Map(skills.filter(({ name }) => name !== latest.name).map((skill) => [skill.name, skill]));
  return [
    ...[...earlier.values()].map(({ name, path }) => `Used before: ${name} (${path})`),
    `In use: ${latest.name} (${latest.path})`,
    latest.content,
  ].join("\n");
}

function agentText({ name, purpose, instructions }: ActiveAgent): string {
  return `You are ${name}: ${purpose}\n${instructions}`;
}

export function sections(
  carried: Carried,
  count: Count,
): Record<"plan" | "todos" | "skills" | "agent" | "pinned", CarriedSection> {
  const section =
    (tag: OwnTag, text: string): CarriedSection =>
    (maxTokens) =>
      block(tag, text, maxTokens, count);
  return {
    plan: section(TAG.plan, carried.plan ?? ""),
    todos: section(TAG.todos, todoText(carried.todos ?? [])),
    skills: section(TAG.skills, skillText(carried.skills ?? [])),
    agent: section(TAG.agent, carried.agent ? agentText(carried.agent) : ""),
    pinned: section(TAG.pinned, carried.pinned ?? ""),
  };
}
