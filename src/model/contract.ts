// What the rest of the program knows about calling a model: one request, a stream of parts, one final outcome.
import type { ContextItem } from "../schema/context-item.ts";
import type { Message, ProviderData, ToolRequest } from "../schema/message.ts";
import type {
  AgentRole,
  CallFailureCode,
  CatalogEntry,
  FinishReason,
  Interaction,
  Usage,
  WireName,
} from "../schema/model.ts";
import type { ToolDefinition } from "../schema/tool.ts";

/** A model that can be called: where it is, how it is spoken to, and what it can take. */
export type ModelTarget = {
  /** `provider/name` as users and events see it. */
  id: string;
  provider: CatalogEntry["provider"];
  /** The name that is sent. */
  name: string;
  wire: WireName;
  /** The address with the wire's path prefix; undefined for offline. */
  baseUrl?: string;
  apiKey?: string;
  /** Setting or variable that holds the key, for messages. */
  keySource?: string;
  headers: Record<string, string>;
  entry: CatalogEntry;
  /** Prompt limit L of A2.6. */
  promptLimit: number;
  maxOutputTokens?: number;
};

export type ModelRequest = {
  system: string;
  items: readonly ContextItem<Message>[];
  tools: readonly ToolDefinition[];
  toolChoice: "auto" | "none";
  maxOutputTokens?: number;
  reasoningEffort?: "low" | "medium" | "high";
  initiator: "user" | "agent";
  interaction: Interaction;
  sessionId: string;
  /** The provider may compact the history by itself. */
  providerCompaction?: boolean;
  /** What offline needs to know beyond the conversation: the prescribed call of a macro, and what the agent that runs is for. */
  directive?: { tool: string; args: Record<string, unknown> };
  agentRole?: AgentRole;
  autopilot?: boolean;
};

export type StreamPart =
  | { type: "text"; delta: string }
  | { type: "reasoning"; delta: string }
  | { type: "call_start"; toolCallId: string; name: string }
  | { type: "call_arguments"; toolCallId: string; delta: string }
  | { type: "call_end"; toolCallId: string };

/** The provider compacted or edited the context itself. What it gave for it stands in `providerData` and goes back as it is. */
export type ProviderCompaction = { kind: string; opaque: unknown; tokensCleared?: number; itemsCleared?: number };

export type ModelAnswer = {
  content: string;
  reasoningText?: string;
  /** Calls in the order asked for. `cut` means that the arguments never arrived whole: it must not run. */
  toolRequests: (ToolRequest & { cut?: boolean })[];
  providerData?: ProviderData;
  providerCompactions?: ProviderCompaction[];
  finishReason: FinishReason;
  /** Undefined when the provider reported none. */
  usage?: Usage;
  ttftMs: number;
  /** The provider's own name for the call, to ask about it there. */
  requestId?: string;
};

export type ContextLimit = {
  reportedLimit?: number;
  reportedTokens?: number;
  unit: "tokens" | "bytes";
};

/** How one attempt ended. */
export type CallOutcome =
  | { type: "answer"; answer: ModelAnswer }
  | ({ type: "context_limit"; message: string; statusCode?: number } & ContextLimit)
  | {
      type: "failure";
      code: CallFailureCode;
      /** The provider's own text, at most 500 characters, keys masked, plus what to do. */
      message: string;
      statusCode?: number;
      retryable: boolean;
      /** Wait that the server asked for. */
      retryAfterMs?: number;
      /** Text that had arrived before the stream broke. */
      partial?: string;
      /** Nobody answered there: the text names the tries when there were several. */
      unreachable?: { host: string; why: string };
    }
  | { type: "aborted"; partial?: string; reasoningText?: string };

export type ModelCallOptions = {
  signal: AbortSignal;
  /** Called for each piece as it arrives; must not throw. */
  onPart: (part: StreamPart) => void;
  /** Longest silence of the stream before the call counts as incomplete. */
  idleMs: number;
  /** Our own estimate of the request, for the rule about empty 400 bodies. */
  estimatedTokens?: number;
};

/** One attempt at one request. Never throws: every failure is an outcome. */
export type CallModel = (target: ModelTarget, request: ModelRequest, options: ModelCallOptions) => Promise<CallOutcome>;
