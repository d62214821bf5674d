// What a session is right now: the value that replaying its log gives.
import type { ContextItem } from "../schema/context-item.ts";
import type { DurableEnvelope, EventData } from "../schema/event/envelope.ts";
import type { Message } from "../schema/message.ts";
import type { Usage } from "../schema/model.ts";
import type { AgentMode } from "../schema/permission.ts";
import type { SessionContext } from "../schema/session.ts";
import type { Todo, TodoDep } from "../schema/todo.ts";
import { RefCounter, RefTable } from "./ref.ts";

/** A call that the model asked for and that has no result yet. */
type OpenCall = { toolCallId: string; name: string; started: boolean };
type QueuedMessage = EventData<"message.queued">;

/** What an applied compaction left behind: all that its file and its row are made from. */
export type Checkpoint = {
  eventId: string;
  timestamp: string;
  /** The compaction was taken back; its file and its number stay. */
  undone: boolean;
  data: EventData<"session.compaction_complete">;
};

/** Everything that a rewind takes back with the chain. */
export type ChainState = {
  model: string;
  mode: AgentMode;
  agent: string | undefined;
  systemText: string | undefined;
  items: ContextItem<Message>[];
  openTurn: string | undefined;
  openCalls: OpenCall[];
  todos: Map<string, Todo>;
  deps: TodoDep[];
  /** Every attempt of an agent at a todo. */
  todoRuns: EventData<"session.todo_run">[];
  /** How many items there were right after the last compaction. */
  marker: number | undefined;
  /** Applied compactions on the chain, oldest first. */
  checkpoints: Checkpoint[];
  /** The prescribed call of the running turn's message, for the offline model. */
  directive: EventData<"user.message">["directive"];
};

/** What belongs to the whole log and never goes back: identity, counters, money. */
export type SessionState = ChainState & {
  sessionId: string;
  title: string;
  userNamed: boolean;
  version: number;
  context: SessionContext;
  createdAt: string;
  updatedAt: string;
  chain: DurableEnvelope[];
  lastEventId: string | null;
  eventCount: number;
  /** N of the newest prompt `tN`; never used again, also after a rewind. */
  promptCount: number;
  queue: QueuedMessage[];
  usage: Map<string, Usage>;
  apiDurationMs: number;
  changedFiles: Map<string, { added: number; removed: number }>;
  modelLimits: Map<string, number>;
  /** Every subagent that was ever started here, also before a rewind: no id is given twice. */
  agentIds: Set<string>;
  /** Highest number ever given to a checkpoint; never used again. */
  checkpointCount: number;
  /** Names of all checkpoint files that any event of the log names. */
  checkpointFiles: string[];
  /** A compaction that was begun and has no end yet. */
  openCompaction: EventData<"session.compaction_start"> | undefined;
  /** Refs `tN.k` by event id, and the counter that gives them. */
  refs: RefTable;
  refCounter: RefCounter;
};

export function emptyChain(): ChainState {
  return {
    model: "",
    mode: "interactive",
    agent: undefined,
    systemText: undefined,
    items: [],
    openTurn: undefined,
    openCalls: [],
    todos: new Map(),
    deps: [],
    todoRuns: [],
    marker: undefined,
    checkpoints: [],
    directive: undefined,
  };
}

export function emptyState(): SessionState {
  return {
    ...emptyChain(),
    sessionId: "",
    title: "",
    userNamed: false,
    version: 1,
    context: { cwd: "" },
    createdAt: "",
    updatedAt: "",
    chain: [],
    lastEventId: null,
    eventCount: 0,
    promptCount: 0,
    queue: [],
    usage: new Map(),
    apiDurationMs: 0,
    changedFiles: new Map(),
    modelLimits: new Map(),
    agentIds: new Set(),
    checkpointCount: 0,
    checkpointFiles: [],
    openCompaction: undefined,
    refs: new RefTable(),
    refCounter: new RefCounter(),
  };
}

/** The state as plain JSON, for comparing live with replayed. */
export function plainState(state: SessionState): unknown {
  const { chain, ...rest } = state;
  return {
    ...rest,
    chain: chain.map((e) => e.id),
    items: state.items.map(({ tokens: _counted, estimate: _looked, ...item }) => item),
    todos: [...state.todos],
    usage: [...state.usage],
    changedFiles: [...state.changedFiles],
    modelLimits: [...state.modelLimits],
    agentIds: [...state.agentIds],
    refs: state.refs.plain(),
  };
}
