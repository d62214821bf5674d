// The log is the truth: state is the fold of its durable events, and the live session folds the same function.
import { textLength } from "../base/json.ts";
import { applyCompaction } from "../context/compact/apply.ts";
import { joinNotifications } from "../context/fragment/fragment.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { DurableEnvelope, Envelope } from "../schema/event/envelope.ts";
import type { Message } from "../schema/message.ts";
import { LogItem } from "./log-item.ts";
import { isPromptSource } from "./ref.ts";
import { applyToLog, applyToTotals } from "./replay-log.ts";
import { type ChainState, emptyChain, emptyState, type SessionState } from "./state.ts";

export function replay(events: Iterable<DurableEnvelope>): SessionState {
  const fold = new LogFold();
  for (const event of events) fold.add(event);
  return fold.end();
}

/** Folds one durable event into the state, in place. File order is the order; a rewind goes back along the chain. */
export function applyEvent(state: SessionState, event: DurableEnvelope): void {
  const fold = new LogFold(state);
  fold.add(event);
  fold.end();
}

/** The fold of a log that is being read. However often its chain went back, it is folded anew once, at the end. */
export class LogFold {
  readonly #state: SessionState;
  #isStale = false;

  constructor(state = emptyState()) {
    this.#state = state;
  }

  add(event: DurableEnvelope): void {
    const state = this.#state;
    state.eventCount++;
    state.lastEventId = event.id;
    state.updatedAt = event.timestamp;
    if (event.type === "session.snapshot_rewind") {
      cutChain(state, event);
      this.#isStale = true;
    } else if (event.type === "session.compaction_undone") this.#isStale = true;
    else {
      applyToTotals(state, event);
      if (event.agentId === undefined) {
        applyToLog(state, event);
        if (!this.#isStale) applyToChain(state, event);
      }
    }
    state.chain.push(event);
  }

  end(): SessionState {
    if (this.#isStale) foldChain(this.#state);
    this.#isStale = false;
    return this.#state;
  }
}

/** The conversation of one subagent: the same fold over its own events. `base`: what it was given at its start. */
export function replayAgent(events: Iterable<DurableEnvelope>, agentId: string, base: SessionState): SessionState {
  for (const event of events) if (event.agentId === agentId) applyOwnEvent(base, event);
  return base;
}

/** An event of a subagent, folded into its own state. */
export function applyOwnEvent(state: SessionState, event: DurableEnvelope): void {
  const { agentId: _, ...own } = event;
  applyEvent(state, own as DurableEnvelope);
}

function cutChain(state: SessionState, event: Envelope<"session.snapshot_rewind">): void {
  // The parent's line may be damaged; then the target itself says where to cut.
  const parent = state.chain.findIndex((e) => e.id === event.parentId);
  const target = state.chain.findIndex((e) => e.id === event.data.upToEventId);
  const end = parent !== -1 ? parent + 1 : Math.max(0, target);
  // An agent that was there before keeps its whole conversation.
  const withdrawn = new Set(event.data.withdrawnAgents);
  const ofOtherAgents = state.chain.slice(end).filter((e) => e.agentId !== undefined && !withdrawn.has(e.agentId));
  state.chain.length = end;
  state.chain.push(...(event.data.withdrawnAgents ? ofOtherAgents : []));
}

/** The chain from its beginning, without the compactions that were undone and the one that is being undone. */
function foldChain(state: SessionState, undoing?: string): void {
  const undone = new Set(
    state.chain.flatMap((e) => (e.type === "session.compaction_undone" ? [e.data.compactionAttemptId] : [])),
  );
  if (undoing !== undefined) undone.add(undoing);
  Object.assign(state, emptyChain());
  for (const e of state.chain) {
    if (e.agentId !== undefined) continue;
    const isUndone = e.type === "session.compaction_complete" && undone.has(e.data.compactionAttemptId);
    if (isUndone) state.checkpoints.push({ eventId: e.id, timestamp: e.timestamp, undone: true, data: e.data });
    else applyToChain(state, e);
  }
}

/** The items as they would be without that compaction. */
export function itemsWithout(state: SessionState, compactionAttemptId: string): ContextItem<Message>[] {
  const copy = emptyState();
  copy.chain = [...state.chain];
  foldChain(copy, compactionAttemptId);
  return copy.items;
}

function applyToChain(state: ChainState, event: DurableEnvelope): void {
  switch (event.type) {
    case "session.start":
      state.model = event.data.model;
      state.mode = event.data.mode;
      state.agent = event.data.agent;
      break;
    case "session.resume":
      state.model = event.data.model;
      break;
    case "session.model_change":
      state.model = event.data.newModel;
      break;
    case "session.mode_changed":
      state.mode = event.data.newMode;
      break;
    case "subagent.selected":
      state.agent = event.data.agentName;
      break;
    case "subagent.deselected":
      state.agent = undefined;
      break;
    case "session.todo_run":
      state.todoRuns = [
        ...state.todoRuns.filter((r) => r.todo_id !== event.data.todo_id || r.attempt !== event.data.attempt),
        event.data,
      ];
      break;
    case "session.todos_changed":
      for (const t of event.data.todos) state.todos.set(t.id, t);
      for (const id of event.data.removedTodos) state.todos.delete(id);
      state.deps = [...state.deps, ...event.data.deps].filter(
        (d) => !event.data.removedDeps.some((r) => r.todo_id === d.todo_id && r.depends_on === d.depends_on),
      );
      break;
    case "system.message":
      state.systemText = event.data.content;
      break;
    case "session.snapshot_rewind":
      state.openTurn = undefined;
      state.openCalls = [];
      break;
    case "turn.start":
      state.openTurn = event.data.turnId;
      break;
    case "turn.end":
      state.openTurn = undefined;
      state.directive = undefined;
      break;
    case "user.message":
      applyUserMessage(state, event);
      break;
    case "system.notification":
      applyNotification(state, event);
      break;
    case "assistant.message":
      applyAssistantMessage(state, event);
      break;
    case "tool.execution_start":
      for (const c of state.openCalls) if (c.toolCallId === event.data.toolCallId) c.started = true;
      break;
    case "tool.execution_complete":
      applyToolResult(state, event);
      break;
    case "session.compaction_complete":
      applyCompacted(state, event);
      break;
  }
}

/** The event carries all it needs: no plan, todo or skill file is read, so that later edits do not change the past. */
function applyCompacted(state: ChainState, event: Envelope<"session.compaction_complete">): void {
  const { outcome, replacementContent, boundaryEventId } = event.data;
  if (outcome !== "applied" || replacementContent === undefined || boundaryEventId === undefined) return;
  const items = applyCompaction(state.items, { id: event.id, replacementContent, boundaryEventId });
  if (!items) return;
  state.items = items;
  state.marker = items.length;
  state.checkpoints.push({ eventId: event.id, timestamp: event.timestamp, undone: false, data: event.data });
}

const turnOf = (state: ChainState): number => state.items.at(-1)?.turn ?? 0;

/** Those that come together are one message. */
function applyNotification(state: ChainState, event: Envelope<"system.notification">): void {
  const last = state.items.at(-1);
  if (last?.kind === "notice" && last.raw.role === "user") {
    const content = joinNotifications(last.raw.content, event.data.content);
    const raw = { ...last.raw, content };
    state.items[state.items.length - 1] = { ...last, raw, chars: textLength(raw), tokens: 0 };
  } else {
    const chars = event.data.content.length;
    state.items.push(new LogItem(event, { role: "user", kind: "notice", turn: turnOf(state), chars }));
  }
}

function applyUserMessage(state: ChainState, event: Envelope<"user.message">): void {
  const { content, recalled, attachments, ref, source, directive } = event.data;
  const turn = ref ? Number(ref.slice(1)) : turnOf(state);
  const chars = content.length + (recalled?.length ?? 0) + textLength(attachments);
  state.items.push(new LogItem(event, { role: "user", isPrompt: isPromptSource(source), turn, chars }));
  state.directive = directive;
}

function applyAssistantMessage(state: ChainState, event: Envelope<"assistant.message">): void {
  const { content, toolRequests, reasoningText, providerData } = event.data;
  // Nothing that any provider would accept back, unless it holds what its own provider must see again.
  if (content === "" && toolRequests.length === 0 && !providerData?.content.length) return;
  const chars = content.length + textLength(toolRequests) + textLength(reasoningText) + textLength(providerData);
  const about = { role: "assistant" as const, turn: turnOf(state), chars };
  if (toolRequests.length === 0) state.items.push(new LogItem(event, about));
  else state.items.push(new LogItem(event, { ...about, toolCallIds: toolRequests.map((r) => r.toolCallId) }));
  for (const r of toolRequests) state.openCalls.push({ toolCallId: r.toolCallId, name: r.name, started: false });
}

/** A result takes its place in call order, however the calls finished. A second result for one call is ignored. */
function applyToolResult(state: ChainState, event: Envelope<"tool.execution_complete">): void {
  const { toolCallId, result, attachments } = event.data;
  const open = state.openCalls.findIndex((c) => c.toolCallId === toolCallId);
  if (open === -1) return;
  const [call] = state.openCalls.splice(open, 1);
  const at = state.items.findLastIndex((i) => i.toolCallIds.includes(toolCallId));
  const place = placeOfResult(state.items, at, toolCallId);
  const item = new LogItem(event, {
    role: "tool",
    turn: state.items[at]?.turn ?? 0,
    toolResultFor: [toolCallId],
    toolName: call?.name ?? "",
    chars: result.content.length + textLength(attachments),
  });
  state.items.splice(place, 0, item);
}

/** After the results of earlier calls. Those stand in call order, so halving finds the place, among thousands too. */
function placeOfResult(items: readonly ContextItem[], at: number, toolCallId: string): number {
  const order = items[at]?.toolCallIds ?? [];
  const mine = order.indexOf(toolCallId);
  let start = at + 1;
  let end = start;
  while (items[end]?.role === "tool") end++;
  while (start < end) {
    const middle = (start + end) >> 1;
    if (order.indexOf(items[middle]?.toolResultFor[0] ?? "") < mine) start = middle + 1;
    else end = middle;
  }
  return start;
}
