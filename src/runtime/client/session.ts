// One open session as a face sees it, and what the face must be able to answer.
import type { InboxEntry } from "../../agent/inbox/entry.ts";
import type { AgentTreeRow } from "../../agent/task/show.ts";
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { MemoryRecord } from "../../memory/record/contract.ts";
import type { DurableEnvelope, Envelope } from "../../schema/event/envelope.ts";
import type { Usage } from "../../schema/model.ts";
import type { AgentMode, PermissionAnswer } from "../../schema/permission.ts";
import type { SessionContext } from "../../schema/session.ts";
import type { Todo, TodoDep } from "../../schema/todo.ts";
import type { PermissionQuestion } from "../../session/permit.ts";
import type { FilePreview } from "../../session/restore-files.ts";
import type { PromptRef, RewindFiles, RewindReport } from "../../session/rewind.ts";
import type { EditorPlace } from "../../tool/editor.ts";
import type { ShellRow } from "../agent/running-shell.ts";
import type { BoardAccess } from "../board/access.ts";
import type { McpAccess } from "../mcp/access.ts";
import type { MemoryAccess } from "../memory/access.ts";
import type { CheckpointView } from "../session/checkpoints.ts";
import type { SessionSelf } from "../session/session-self.ts";
import type { SettingsAccess } from "../settings-access.ts";
import type { TrustAccess } from "../trust-access.ts";
import type { Enclosures } from "./enclosure.ts";
import type { GraphAccess } from "./graph.ts";
import type { Opener, ResultPromise } from "./open.ts";
import type { PinAccess } from "./pin.ts";
import type { RecallReply } from "./recall.ts";
import type { TypingAccess } from "./typing.ts";

/** A permission question as a person sees it; `agent` is the main agent, or a subagent's path. */
export type PermissionPrompt = PermissionQuestion & { agent: string };

/** `toolCallId`: the call that asks. */
export type UserQuestion = { question: string; choices?: string[]; allowFreeform: boolean; toolCallId?: string };
export type PlanQuestion = {
  summary: string;
  plan: string;
  actions: string[];
  recommended?: string;
  toolCallId?: string;
};
export type PlanAnswer = { action: string; feedback?: string };

/** What a face can answer. Each promise ends early when the signal aborts. Absent = nobody is there to ask. */
export type Prompts = {
  permission?: (question: PermissionPrompt, signal: AbortSignal) => Promise<PermissionAnswer>;
  question?: (question: UserQuestion, signal: AbortSignal) => Promise<string | undefined>;
  planExit?: (plan: PlanQuestion, signal: AbortSignal) => Promise<PlanAnswer>;
};

export type SessionView = {
  sessionId: string;
  title: string;
  userNamed: boolean;
  model: string;
  modelReason: string;
  promptLimit: number;
  mode: AgentMode;
  context: SessionContext;
  allowAll: boolean;
  trusted: boolean;
  usage: Record<string, Usage>;
  apiDurationMs: number;
  currentTokens: number;
  changedFiles: { path: string; added: number; removed: number }[];
  todos: Todo[];
  deps: TodoDep[];
  queue: string[];
  promptCount: number;
  busy: boolean;
  lastTurn: { status: string; reason?: string } | undefined;
};

/** A message that a command makes: what the model reads, what the user typed, and the one call that it prescribes. */
export type AgentPrompt = {
  prompt: string;
  display: string;
  directive?: { tool: string; args: Record<string, unknown> };
};

/** An agent that was given up. */
export type AbandonedAgent = { id: string; intent?: string };

/** What runs in the background, for a face. */
export type TasksClient = {
  startAgent(request: { agentType: string; prompt: string; name: string; description: string }): Promise<CommandResult>;
  /** The tree of agents, MCP tasks and running shells, as text. */
  list(): string;
  /** The same as rows. `fleet` is empty when there is none. */
  rows(): { fleet: string | undefined; agents: readonly AgentTreeRow[]; shells: readonly ShellRow[] };
  /** One agent whole: status, turns, result; of a command, that it runs. */
  getProgress(id: string): CommandResult;
  /** Gives its whole id, and how the message reaches it. */
  sendMessage(id: string, message: string): ResultPromise<{ id: string; delivery: string }>;
  /** Without an id: whatever the main agent waits for. */
  promoteToBackground(id?: string): ResultPromise<string[]>;
  /** Gives those that were stopped with it; none when it had ended before. */
  cancel(id: string): ResultPromise<{ id: string; status: string; stopped: string[] }>;
  /** All that runs in the background; gives how many. */
  cancelAll(): Promise<number>;
  /** Gives its whole id. */
  remove(id: string): Promise<CommandResult>;
  /** How many run in the background. */
  running(): number;
};

export type CommandResult = Result<string, Failure>;

export type ModelRow = { id: string; promptLimit: number; multiplier: number; isInUse: boolean };
export type PermissionList = {
  allowAll: boolean;
  rules: { list: string; rule: string; origin: string }[];
  folders: readonly string[];
  /** The second wall, in words. */
  sandbox: string;
};
type SkillRow = { name: string; enabled: boolean; description: string; path: string };

export type ConsolidationStatus = {
  place: { repository: string; branch: string };
  items: number;
  capacity: number;
  onExit: boolean;
  lastRun?: { id: string; outcome: string; endedAt: string; added: number; pruned: number; refused: number };
};

/** What sidekicks have sent to a session, for its user, whose looking marks nothing as read. */
export type InboxAccess = {
  /** Newest first, without secrets. */
  entries: readonly InboxEntry[];
  remove(id: string): ResultPromise<void>;
};

/** Memory in an open session. */
export type MemoryInSession = {
  status(): Promise<{
    enabled: boolean;
    strategy: string;
    /** Why there is none to use. */
    why?: string;
    pending: number;
    lastFailure?: { code: string; at: string };
  }>;
  /** In the user's settings, and at once. Gives what is in force: something stronger may say otherwise. */
  switch(on: boolean): ResultPromise<boolean>;
  /** What the model sees; with words, only the lines that hold them. `unseen`: what is stored beside that. */
  visible(words: string): ResultPromise<{ section: string; unseen: MemoryRecord[] }>;
};

/** What can be asked of an open session and of this machine alike. */
export type SharedAccess = {
  readonly board: Opener<BoardAccess>;
  readonly memory: Opener<MemoryAccess>;
  readonly graph: Opener<GraphAccess>;
  readonly pins: Opener<PinAccess>;
  /** The open session's inbox; where none is open, that of `session` or of the latest session of this folder. */
  inbox(session?: string): ResultPromise<InboxAccess>;
  checkpoints(session?: string): ResultPromise<CheckpointView[]>;
  readonly settings: SettingsAccess;
  trust(): ResultPromise<TrustAccess>;
};

export type Client = SharedAccess &
  TypingAccess & {
    readonly sessionId: string;
    readonly dir: string;
    readonly resumed: boolean;
    view(): SessionView;
    /** Every event from now on, ephemeral ones too; first what was emitted while opening. */
    on(listener: (event: Envelope) => void): () => void;
    /** What the conversation is made of so far, oldest first: what was taken back by a rewind is not in it. */
    past(): readonly DurableEnvelope[];
    /**
     * Admits a message; resolves when it is safe in the log or its turn has begun. Files that a typed message names as `@path`
     * or `@path#L10-40` go along with it.
     */
    send(
      message: string | AgentPrompt,
      options?: { delivery?: "steer" | "queue" /** Text piped beside the prompt. */; attached?: string } & Enclosures,
    ): Promise<void>;
    /** To be called once a face shows events: what must precede the first request, such as making room for another model. */
    ready(initialPrompt?: string): Promise<void>;
    /**
     * Resolves when no turn, agent or fleet runs and nothing is queued. Agents that are silent for longer than
     * `prompt.waitSeconds` are stopped first, and given back. `last`: nothing will be sent any more, so that idle agents complete.
     * Rejects only if the session cannot be written any more.
     */
    untilIdle(last?: boolean): Promise<{ abandoned: AbandonedAgent[] }>;
    /** Cuts the running turn; returns queued messages that went back to the user. */
    interrupt(reason: string): string[];
    readonly model: {
      /** Those that can be used here; the one in use first. */
      list(): ModelRow[];
      set(name: string): Promise<CommandResult>;
    };
    readonly session: SessionSelf;
    readonly permissions: {
      list(): Promise<PermissionList>;
      /** Takes approvals back. */
      reset(scope: "session" | "location"): ResultPromise<unknown>;
      setAllowAll(on: boolean): Promise<void>;
      /** Gives its whole path. */
      addFolder(path: string): CommandResult;
    };
    /** A ref gives the exact words, an id its item, everything else is searched. */
    recall(query: string): ResultPromise<RecallReply>;
    readonly mode: { get(): AgentMode; set(mode: AgentMode): Promise<void> };
    readonly history: {
      /** Summarises the history now. */
      compact(focus: string): Promise<CommandResult>;
      /** Ends a compaction that runs. */
      cancel(): Promise<CommandResult>;
      /** Takes back the newest compaction. */
      undo(): Promise<CommandResult>;
      /** The messages that going back would take out of the conversation, and what could become of files changed since. */
      preview(to: string | undefined): Result<{ prompts: PromptRef[]; files: FilePreview[] }, Failure>;
      /** Files stay unless it is said. */
      rewind(to: string | undefined, files?: RewindFiles): ResultPromise<RewindReport>;
    };
    readonly tasks: TasksClient;
    readonly agents: {
      /** The catalogue, with what is shadowed and what is wrong. */
      list(): string;
      /** Runs the session as that definition; `none` returns. */
      select(name: string): Promise<CommandResult>;
      startFleet(options: { prompt?: string }): ResultPromise<{ started: boolean; reason?: string }>;
      startResearch(topic: string): Promise<CommandResult>;
    };
    readonly consolidation: {
      isOn(): boolean;
      /** A message that has the main agent start one. */
      prompt(): AgentPrompt;
      status(): Promise<ConsolidationStatus>;
    };
    readonly memorySection: MemoryInSession;
    readonly mcp: McpAccess;
    /** What users added. */
    readonly extensions: {
      hooks(): Promise<string>;
      skills(): SkillRow[];
      /** What can be typed after a slash: their commands and skills. */
      commands(): { name: string; args: string; help: string }[];
      /** The message of a command or skill, by its name; undefined when there is none. */
      prompt(name: string, args: string): Promise<Result<AgentPrompt, Failure> | undefined>;
    };
    /** Records a slash command that ran. */
    recordCommand(command: string, args: string, success: boolean, output: string): Promise<void>;
    close(end: { type: "routine" | "error" | "signal"; reason?: string }): Promise<void>;
  };

export type SessionChoice = { type: "new" } | { type: "resume"; id: string } | { type: "continue" };

export type OpenOptions = {
  /** Settings given by flags, by their keys. */
  flags: Record<string, string | boolean | string[]>;
  session: SessionChoice;
  prompts: Prompts;
  trustFolder: boolean;
  /** Where the session works; absent: where this process does. A face with several sessions names it. */
  cwd?: string;
  /** MCP servers that the face gives to this session, as `mcpServers` in a configuration file. */
  mcpServers?: Record<string, unknown>;
  /** Files and terminals that the face has. */
  editor?: EditorPlace;
  /** Absent: a new session is interactive, a resumed one stays in plan mode if it was. */
  mode?: AgentMode;
  agent?: string;
  /** Commands that a custom command cannot replace. */
  slashNames?: () => Promise<readonly string[]>;
  /** False in prompt mode: failures of the log are given up after 30 s. */
  interactive: boolean;
};

export type Opened = {
  client: Client;
  notices: string[];
  outputFormat: "text" | "json" | "stream-json";
  exportPath: string | undefined;
  /** The secret filter, for what a face prints where it may be kept. */
  redact: (text: string) => string;
};
