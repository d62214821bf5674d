// Agents in words: what read_agent answers, and what the main agent is told of them.
import { clip, cutAt } from "../../base/text.ts";
import type { McpTaskProgress } from "../../schema/event/agent.ts";
import { costText } from "../../schema/model.ts";
import { type AgentRecord, isTerminal } from "./record.ts";
import { msBetween } from "./transition.ts";

/** A notification's block holds 1,000 tokens, by the upper bound of 3 bytes each, its tags aside. */
const BLOCK_BYTES = 2900;
const RESULT_CHARS = 2000;
const PROMPT_CHARS = 200;

/** Agent text inside our own block: it can neither close the block nor look like one. */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function elapsed(ms: number): string {
  const s = Math.floor(ms / 1000);
  if (s < 60) return `${s}s`;
  return s < 3600 ? `${Math.floor(s / 60)}m${s % 60}s` : `${Math.floor(s / 3600)}h${Math.floor((s % 3600) / 60)}m`;
}

/** Time in `running`, up to now, or up to its last event. */
function runMs(record: AgentRecord, now?: string): number {
  if (record.status !== "running") return record.telemetry.durationMs;
  return record.telemetry.durationMs + msBetween(record.startedAt, now ?? record.lastEventAt);
}

/** What it has come to: the result, the reason of its end, or its latest answer. The code of a failure is said around it. */
export function outcomeText(record: AgentRecord): string {
  if (record.status === "completed") return withNote(record, record.result);
  const latest = record.latestResponse ? `Its latest response:\n${record.latestResponse}` : "";
  if (record.status === "failed") return withNote(record, [record.error.message, latest].filter(Boolean).join("\n\n"));
  if (record.status === "cancelled")
    return withNote(record, [`cancelled by ${record.by}: ${record.reason}`, latest].filter(Boolean).join("\n\n"));
  return withNote(record, record.latestResponse ?? "");
}

/** The first line says when the model is another than the one asked for. */
export const withNote = ({ note }: AgentRecord, text: string): string => (note ? `${note}\n${text}` : text);

/** One text for each settled agent; together they fit one block. */
export function resultTexts(records: readonly AgentRecord[]): string[] {
  const share = Math.floor(BLOCK_BYTES / Math.max(1, records.length)) - 1;
  return records.map((record) => resultText(record, share));
}

function resultText(record: AgentRecord, bytes: number): string {
  const head = `Agent ${record.id} (${record.agentType}: ${escaped(clip(record.description, 80))}) ${settledAs(record)}.`;
  const how = `read_agent {"agent_id":"${record.id}"} gives`;
  const outcome = outcomeText(record);
  const follow = record.status === "idle" ? " It waits for a follow-up by write_agent." : "";
  const room = bytes - Buffer.byteLength(head) - how.length - follow.length - 40;
  const shown = fitting(outcome, Math.min(RESULT_CHARS, room), room);
  if (outcome === "") return `${head}${follow}`;
  if (shown === "") return `${head} ${how} its result.`;
  const rest = shown.length < escaped(outcome).length ? `\n[cut: ${how} all of it]` : "";
  return `${head}${follow}\n${shown}${rest}`;
}

function settledAs(record: AgentRecord): string {
  if (record.status === "idle") return "has answered and is idle";
  if (record.status === "failed") return `failed (${record.error.code})`;
  return record.status === "cancelled" ? "was cancelled" : `is ${record.status}`;
}

/** The longest beginning that stays within both bounds once it is escaped. */
function fitting(text: string, chars: number, bytes: number): string {
  let cut = cutAt(text, Math.max(0, chars));
  while (cut !== "" && Buffer.byteLength(escaped(cut)) > bytes) cut = cutAt(cut, Math.floor(cut.length * 0.9));
  return escaped(cut);
}

export function stallText(record: AgentRecord): string {
  const reason = record.progress.stalled?.reason ?? "silent";
  return `Agent ${record.id} (${record.agentType}: ${escaped(clip(record.description, 80))}) makes no progress: ${escaped(reason)}. If it stays silent it is tried once more and then fails; stop_agent ends it now.`;
}

export function interruptedText(records: readonly AgentRecord[]): string {
  const lines = records.map(
    ({ id, agentType, description }) => `- ${id} (${agentType}: ${escaped(clip(description, 80))})`,
  );
  const shown = lines.slice(0, 20);
  const more = lines.length - shown.length;
  return [
    "These agents were running when the last process ended. What they had done is kept: read it with read_agent, let one go on with write_agent, end one with stop_agent.",
    ...shown,
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join("\n");
}

/** What read_agent answers. Turns are counted from 0. */
export function describeAgent(
  record: AgentRecord,
  { now, sinceTurn = 0, isWaiting = false }: { now?: string; sinceTurn?: number; isWaiting?: boolean } = {},
): string {
  const { progress, telemetry } = record;
  const status = isWaiting ? `${record.status}, waiting_for_permission` : record.status;
  const facts = [
    `${progress.turns} turns`,
    progress.toolCalls > 0 && `${progress.toolCalls} calls`,
    `${telemetry.steps} steps`,
    `${progress.toolCalls} tool calls`,
    `${progress.tokensIn + progress.tokensOut} tokens`,
    elapsed(runMs(record, now)),
    ...(progress.latestIntent ? [`intent: ${progress.latestIntent}`] : []),
    ...(progress.latestTool && record.status === "running" ? [`latest tool: ${progress.latestTool}`] : []),
    ...(progress.stalled ? [`stalled since ${progress.stalled.since}: ${progress.stalled.reason}`] : []),
  ];
  const turns = record.turnHistory
    .filter(({ turn }) => turn >= sinceTurn)
    .map(
      ({ turn, prompt, response }) =>
        `Turn ${turn} (asked: ${clip(prompt.replace(/\s+/g, " "), PROMPT_CHARS)}):\n${response}`,
    );
  return [
    ...(record.note ? [record.note] : []),
    `Agent ${record.id} (${record.agentType}, ${record.model}): ${status}`,
    `Progress: ${facts.join(", ")}`,
    ...(progress.mcpTask ? [mcpText(progress.mcpTask)] : []),
    ...turns,
    ...endText(record, turns.length > 0),
  ].join("\n");
}

function mcpText({ server, tool, status, message, progress, total, streamWarnings }: McpTaskProgress): string {
  const part = progress === undefined ? "" : ` ${progress}${total === undefined ? "" : `/${total}`}`;
  const warnings = streamWarnings.map((warning) => `\nWarning: ${warning}`).join("");
  return `MCP task ${server}/${tool}: ${status}${part}${message ? ` (${message})` : ""}${warnings}`;
}

/** The last turn has the result already when it is the same text. */
function endText(record: AgentRecord, hasTurns: boolean): string[] {
  if (record.status === "completed")
    return hasTurns && record.result === record.latestResponse ? [] : [`Result:\n${record.result}`];
  if (record.status === "failed") return [`Failed: ${record.error.code}: ${record.error.message}`];
  if (record.status === "cancelled") return [`Cancelled by ${record.by}: ${record.reason}`];
  if (record.status === "idle") return ["It waits for a follow-up by write_agent."];
  return record.status === "interrupted" ? ["It was interrupted; write_agent lets it go on."] : [];
}

type TreeOptions = {
  now: string;
  isWaiting?: (id: string) => boolean;
};

/** A line of the tree, and what can be done with its agent. */
export type AgentTreeRow = {
  id: string;
  depth: number;
  text: string;
  isOver: boolean;
  /** The main agent waits for it. */
  isWaitedFor: boolean;
  /** Agents below it that still run. */
  children: number;
};

/** Who works for whom, in the order of the tree. */
export function agentRows(
  records: readonly AgentRecord[],
  { now, isWaiting = () => false }: TreeOptions,
): readonly AgentTreeRow[] {
  const shown = new Set(records.map(({ id }) => id));
  const childrenOf = (parentId: string | undefined): readonly AgentRecord[] =>
    records.filter(
      (one) => (one.parentId !== undefined && shown.has(one.parentId) ? one.parentId : undefined) === parentId,
    );
  const below = (parentId: string | undefined, depth: number): AgentTreeRow[] =>
    childrenOf(parentId).flatMap((one) => {
      const rows = below(one.id, depth + 1);
      return [
        {
          id: one.id,
          depth,
          text: treeLine(one, now, isWaiting(one.id)),
          isOver: isTerminal(one),
          isWaitedFor: one.status === "running" && one.executionMode === "sync" && one.parentId === undefined,
          children: rows.filter((row) => !row.isOver).length,
        },
        ...rows,
      ];
    });
  return below(undefined, 0);
}

/** The tree of /tasks. Empty when there is nothing. */
export const agentTree = (records: readonly AgentRecord[], options: TreeOptions): string =>
  agentRows(records, options)
    .map(({ id, depth, text }) => `${"  ".repeat(depth)}${id}  ${text}`)
    .join("\n");

function treeLine(record: AgentRecord, now: string, isWaiting: boolean): string {
  const { progress, telemetry } = record;
  const { stalled, latestIntent, mcpTask } = progress;
  const state = [isWaiting && "waiting_for_permission", stalled && `stalled: ${stalled.reason}`, latestIntent];
  const cells = [
    record.agentType,
    record.model,
    record.status === "failed" ? `failed (${record.error.code})` : record.status,
    elapsed(runMs(record, now)),
    `${progress.turns} turns`,
    `${progress.tokensIn + progress.tokensOut} tokens`,
    costText(telemetry),
    ...(mcpTask && !isTerminal(record) ? [mcpText(mcpTask)] : []),
    ...(isTerminal(record) ? [] : state),
    record.todoId && `todo ${record.todoId}`,
  ];
  return cells.filter(Boolean).join("  ");
}
