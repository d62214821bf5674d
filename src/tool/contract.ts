// What a tool is: its text for the model, its input, the permissions it needs, and what it gives back.
import type { z } from "zod";
import type { ShellPlan } from "../permission/shell/plan.ts";
import type { Attachment } from "../schema/message.ts";
import type { ToolFacts } from "../schema/own-tool.ts";
import type { AgentMode, PermissionRequest } from "../schema/permission.ts";
import type { FileChange, ToolErrorCode } from "../schema/tool.ts";

export type ToolOutcome =
  | {
      type: "success";
      /** Text for the model, before the output bound is applied. */
      text: string;
      /** What people see, when it differs (a diff, a title). */
      display?: string;
      files?: FileChange[];
      attachments?: Attachment[];
      /** Set by a tool that bounded its own output: of what `text` is an excerpt. */
      output?: OutputSize;
      /** `text` is a block of ours, in which all that is not ours is escaped already. */
      isBlock?: boolean;
    }
  | { type: "failure"; code: ToolErrorCode | (string & {}); message: string };

/** Raw size of an output, and the file that holds all of it when the model got only a part. */
export type OutputSize = { outputFile?: string; bytes: number; lines: number };

export type ToolQuestion = { question: string; choices?: string[]; allowFreeform: boolean };
export type PlanExit = { summary: string; actions: string[]; recommended?: string };

/** What a running tool may use. Everything that reaches the machine comes through here, injected by the runtime. */
export type ToolContext = {
  sessionId: string;
  toolCallId: string;
  /** The subagent that calls; absent for the main agent. */
  agentId?: string;
  cwd: string;
  /** Git root, else cwd. */
  root: string;
  sessionDir: string;
  mode: AgentMode;
  signal: AbortSignal;
  /** Streams output while the tool runs; throttled by the caller. */
  partial: (text: string) => void;
  /** How far it has come, in a few words, for people; a sign of life. */
  progress: (text: string) => void;
  /** Whether the model that calls sees images. */
  takesImages: boolean;
  /** True when this path may be read or written now; checked again at use, against real paths. */
  allowedPath: (path: string) => boolean;
  /** What was judged of a shell call. Where there is a plan it is run, and the text of the call is not. */
  plan?: ShellPlan;
};

/** The facts of a tool of ours come from `ownTool`; one of an MCP server has none. */
export type Tool<Input = unknown> = Partial<ToolFacts> & {
  name: string;
  /** What the model reads; kept in a .md file beside the tool. */
  description: string;
  /** Strict: an unknown argument makes the call invalid. */
  input: z.ZodType<Input>;
  /** What it wants to do; empty when it has no side effect that needs leave. */
  permissions: (input: Input, context: Pick<ToolContext, "cwd" | "root" | "sessionDir">) => PermissionRequest[];
  /**
   * Why the call would fail whatever is allowed, seen without doing it: nobody is asked for what cannot be done.
   * `mayRead`: whether this path may be read without asking; of another one nothing may be told.
   */
  foresee?: (
    input: Input,
    context: Pick<ToolContext, "cwd"> & { mayRead: (path: string) => Promise<boolean> },
  ) => Promise<{ code: ToolErrorCode; message: string } | undefined>;
  /**
   * What a person who is asked sees beside the request, such as a diff. It is made only then and goes to nobody else: it
   * may show what the model was not allowed to read.
   */
  preview?: (input: Input, context: Pick<ToolContext, "cwd">) => string | undefined | Promise<string | undefined>;
  /** Calls with equal keys run one after another in call order; undefined runs in parallel. */
  lane?: (input: Input, context: Pick<ToolContext, "cwd">) => string | undefined;
  /** Runs after every other call of its step. */
  last?: boolean;
  /** Milliseconds; 600 s unless said. Infinity waits for a person. */
  limitMs?: number;
  /** Offered in plan mode. */
  planMode?: boolean;
  /** The names that a tool of an MCP server has there. */
  mcp?: { server: string; tool: string; readOnly: boolean };
  /** Offered in this mode only. */
  onlyMode?: AgentMode;
  run: (input: Input, context: ToolContext) => Promise<ToolOutcome>;
};

type More = Omit<Extract<ToolOutcome, { type: "success" }>, "type" | "text">;
export const success = (text: string, more: More = {}): ToolOutcome => ({
  type: "success",
  text,
  ...more,
});
export const failure = (code: ToolErrorCode | (string & {}), message: string): ToolOutcome => ({
  type: "failure",
  code,
  message,
});

/** Ties a tool's input type to its functions; the registry holds them all as Tool. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool as Tool;
}
