// A tool call as the model asked for it, and as it is ready to run.
import type { ToolRequest } from "../schema/message.ts";
import type { Tool } from "../tool/contract.ts";

export type RequestedCall = ToolRequest & { cut?: boolean };

/** `args`: the arguments as an object, before the tool's schema made its input of them. */
export type ReadyCall = {
  call: RequestedCall;
  tool: Tool;
  input: unknown;
  args: Record<string, unknown>;
  lane: string | undefined;
};
