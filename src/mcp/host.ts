// The MCP host of a session: all its servers, the tools they offer at each turn, and the tasks they run for us.
import { within } from "../base/abort.ts";
import { clip } from "../base/text.ts";
import type { ToolContext, ToolOutcome } from "../tool/contract.ts";
import type { PlannedServer } from "./config/load.ts";
import type { ListedTool, Progress, TaskReport } from "./connection.ts";
import { changedTools, type Fingerprints } from "./fingerprint.ts";
import { instructionBlocks } from "./instructions.ts";
import type { Life, ServerStatus } from "./life.ts";
import { displayName, type ToolKey, toolNames } from "./name.ts";
import { outcomeOf } from "./result.ts";
import { createServer, type Server, type ServerParts } from "./server.ts";
import { followedTask, type LiveTask, type McpTask } from "./task/task.ts";
import { adaptTool, callFailure, type McpTool, type McpToolParts } from "./tool.ts";

export type HostParts = Omit<ServerParts, "onLife" | "onTaskStatus"> &
  Omit<McpToolParts, "startTask"> & {
    /** What tools were when they were last seen here (fingerprint.ts). */
    fingerprints?: Fingerprints;
    onStatus?: (server: string, status: ServerStatus, reason?: string) => void;
  };

/** What a turn begins with. Nothing of it changes before the next one. */
export type TurnTools = {
  tools: McpTool[];
  /** Servers that came or failed since the last turn, for people and model. */
  notices: string[];
  /** Tools that are not what they were: their approvals are void. */
  changed: ToolKey[];
  fingerprints: Fingerprints;
};

type ServerView = {
  name: string;
  where: string;
  status: ServerStatus;
  reason?: string;
  tools: number;
  warnings: string[];
  lastLines: string[];
};

export type McpHost = {
  /** All in parallel; waits for none. */
  start: () => void;
  /** Until every server has settled, or the limit is over. */
  waitForStart: (limitMs: number, signal?: AbortSignal) => Promise<void>;
  /** The tools of this moment, for people: nothing is changed by looking. `offers` is the agent's `tools` and the deny rules. */
  look: (offers?: (key: ToolKey) => boolean) => McpTool[];
  turn: (offers?: (key: ToolKey) => boolean) => TurnTools;
  instructions: () => string;
  servers: () => ServerView[];
  tasks: () => McpTask[];
  /** False when there is no such server, or nothing to start. */
  enable: (name: string) => boolean;
  disable: (name: string) => Promise<boolean>;
  reconnect: (name: string) => Promise<boolean>;
  /** Cancels the tasks, then ends every server. Bounded, never rejects. */
  end: () => Promise<void>;
};

export function createHost(plans: readonly PlannedServer[], parts: HostParts): McpHost {
  const tasks = new Set<LiveTask>();
  const toolByListing = new WeakMap<ListedTool, McpTool>();
  const statusByServer = new Map<string, ServerStatus>();
  let fingerprints: Fingerprints = parts.fingerprints ?? {};
  let isFirstTurn = true;

  const onLife = (server: Server, life: Life): void =>
    parts.onStatus?.(server.plan.name, life.status, "reason" in life ? life.reason : undefined);
  const onTaskStatus = ({ plan }: Server, { taskId }: TaskReport): void => {
    for (const task of tasks) if (task.server === plan.name && task.taskId === taskId) task.nudge();
  };
  const servers = new Map(
    plans.map((plan) => [plan.name, createServer(plan, { ...parts, onLife, onTaskStatus })] as const),
  );

  async function startTask(
    server: Server,
    tool: string,
    args: Record<string, unknown>,
    context: ToolContext,
  ): Promise<McpTask | ToolOutcome> {
    const key = { server: server.plan.name, tool };
    const { timeoutMs } = server;
    const { signal } = context;
    let task: LiveTask | undefined;
    let early: Progress | undefined;
    const onProgress = (progress: Progress): void => {
      if (task) task.onProgress(progress);
      else early = progress;
    };
    const created = await server.use({ signal, limitMs: timeoutMs }, (connection) =>
      connection.createTask(tool, args, { timeoutMs, signal, onProgress }),
    );
    if (!created.ok) return callFailure(key, created.error, false);
    const outcome = (result: Parameters<typeof outcomeOf>[0]) => outcomeOf(result, displayName(key), context);
    task = followedTask(created.value, { server, tool, args, clock: parts.clock, outcome });
    if (early) task.onProgress(early);
    const live = task;
    tasks.add(live);
    void live.ended.then(() => tasks.delete(live));
    return live;
  }

  function isOffered(server: Server, tool: ListedTool, offers: (key: ToolKey) => boolean): boolean {
    const filter = "config" in server.plan ? server.plan.config.tools : [];
    if (!filter.includes("*") && !filter.includes(tool.name)) return false;
    if (tool.taskSupport === "required" && !(parts.runTask && runsTasks(server))) return false;
    return offers({ server: server.plan.name, tool: tool.name });
  }

  /** Made once, as long as its name stays: with many tools this is what a turn costs. */
  function toolFor(server: Server, listed: ListedTool, name: string): McpTool {
    const before = toolByListing.get(listed);
    if (before?.name === name) return before;
    const tool = adaptTool(server, listed, name, { ...parts, startTask });
    toolByListing.set(listed, tool);
    return tool;
  }

  function look(offers: (key: ToolKey) => boolean = () => true): McpTool[] {
    const offered = [...servers.values()].flatMap((server) =>
      server
        .tools()
        .filter((tool) => isOffered(server, tool, offers))
        .map((listed) => ({ server, listed, key: { server: server.plan.name, tool: listed.name } })),
    );
    const nameOf = toolNames(offered.map(({ key }) => key));
    return offered.map(({ server, listed, key }) => toolFor(server, listed, nameOf(key) ?? listed.name));
  }

  const cancelTasks = async (why: string, of: (task: LiveTask) => boolean = () => true): Promise<void> => {
    await Promise.all([...tasks].filter(of).map((task) => task.cancel(why)));
  };

  function notices(): string[] {
    const news: string[] = [];
    for (const [name, server] of servers) {
      const life = server.life();
      const before = statusByServer.get(name);
      statusByServer.set(name, life.status);
      if (before === life.status) continue;
      if (life.status === "connected" && !isFirstTurn && before === "starting")
        news.push(`MCP server "${name}" is connected now, with ${life.tools.length} tools.`);
      if (life.status === "failed" || life.status === "needs-auth")
        news.push(`MCP server "${name}" is not available: ${clip(life.reason, 500)}.`);
      if (life.status === "starting" && isFirstTurn)
        news.push(`MCP server "${name}" is still starting; its tools will be available later.`);
    }
    isFirstTurn = false;
    return news;
  }

  return {
    start() {
      for (const server of servers.values()) if (server.plan.type === "ready") server.start();
    },
    async waitForStart(limitMs, signal) {
      await within(Promise.all([...servers.values()].map((server) => server.settled())), limitMs, signal);
    },
    look,
    turn(offers) {
      const tools = look(offers);
      const now = Object.fromEntries(tools.map(({ mcp }) => [displayName(mcp), mcp.fingerprint]));
      const changedNames = new Set(changedTools(fingerprints, now));
      const changed = tools.filter(({ mcp }) => changedNames.has(displayName(mcp)));
      fingerprints = { ...fingerprints, ...now };
      return {
        tools,
        notices: notices(),
        changed: changed.map(({ mcp: { server, tool } }) => ({ server, tool })),
        fingerprints,
      };
    },
    instructions: () =>
      instructionBlocks(
        [...servers].flatMap(([server, { life }]) => {
          const now = life();
          return now.status === "connected" ? [{ server, text: now.connection.instructions ?? "" }] : [];
        }),
      ),
    servers: () => [...servers.values()].map(viewOf),
    tasks: () => [...tasks],
    enable(name) {
      const server = servers.get(name);
      if (!server || !("config" in server.plan)) return false;
      server.start();
      return true;
    },
    async disable(name) {
      await cancelTasks("its server was switched off", (task) => task.server === name);
      await servers.get(name)?.stop();
      return servers.has(name);
    },
    async reconnect(name) {
      const server = servers.get(name);
      if (!server || !("config" in server.plan)) return false;
      await server.stop();
      server.start();
      return true;
    },
    async end() {
      await cancelTasks("the session ended");
      await Promise.all([...servers.values()].map((server) => server.stop()));
    },
  };
}

/** A lazy server is believed until it is connected. */
function runsTasks(server: Server): boolean {
  const life = server.life();
  return life.status === "connected" ? life.connection.tasks : life.status !== "failed";
}

function viewOf(server: Server): ServerView {
  const life = server.life();
  return {
    name: server.plan.name,
    where: server.plan.where,
    status: life.status,
    ...("reason" in life ? { reason: life.reason } : {}),
    tools: server.tools().length,
    warnings: life.status === "connected" ? life.warnings : [],
    lastLines: server.lastLines(),
  };
}
