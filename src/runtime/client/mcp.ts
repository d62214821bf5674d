// The MCP servers of an open session, for the faces; secrets are masked.
import type { ServerView } from "../../mcp/host.ts";
import type { ResultPromise } from "./open.ts";

export type McpServerRow = ServerView & {
  /** What the definitions of its tools cost a request, about. */
  tokens: number;
};

/** One server in full. */
export type McpServerFacts = {
  name: string;
  status: string;
  reason?: string;
  /** The file or setting that names it, and whose that is. */
  where: string;
  origin: string;
  /** How it is started or reached: a line a fact. */
  configuration: string[];
  tools: { name: string; description: string; readOnly: boolean; task: boolean }[];
  warnings: string[];
  /** Of its stderr. */
  lastLines: string[];
};

export type McpAccess = {
  /** Undefined when no server is named anywhere. Waits for those that are only starting. */
  list(): Promise<{ servers: McpServerRow[]; problems: string[] } | undefined>;
  /** Reads where servers are named and starts them all anew. */
  reload(): Promise<void>;
  show(name: string): ResultPromise<McpServerFacts>;
  disable(name: string): ResultPromise<void>;
  /** Gives how it is then. */
  enable(name: string): ResultPromise<{ status: string; reason?: string }>;
  reconnect(name: string): ResultPromise<{ status: string; reason?: string }>;
};
