// The MCP servers of an open session: started with it, looked at again at each turn, ended with it. Nothing is loaded when none is named.

import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { errorText } from "../../base/failure.ts";
import { mapSource } from "../../mcp/config/source.ts";
import type { McpTool } from "../../mcp/tool.ts";
import { trustState } from "../../permission/trust.ts";
import type { Tool } from "../../tool/contract.ts";
import type { McpAccessParts } from "./access.ts";
import { type McpParts, type OpenHost, openHost, tell } from "./host.ts";
import { mcpSources } from "./sources.ts";

/** The MCP tools of one conversation, asked for before every request: many of them are found by a tool instead. */
export type McpOffer = (promptLimit: number) => readonly Tool[];

/** What one conversation sees. `allows` is the agent's `tools`; `own` its own servers, which hide equal names. */
type McpView = { allows?: (tool: McpTool) => boolean; own?: AgentMcp };

export type SessionMcp = {
  /** Reads where servers are named and starts them all; waits for nothing. Once the session's first event is written. */
  start: () => void;
  /** At the beginning of each turn of the main agent; the first one waits for the servers. Gives notices for the model. */
  turn: (signal?: AbortSignal) => Promise<string[]>;
  offer: (view?: McpView) => McpOffer;
  /** Blocks for the system prompt; empty when no server says anything. */
  instructions: () => string;
  /** For what its user does with them. */
  accessParts: McpAccessParts;
  /** Cancels tasks, ends every server. Before `owner.end()`. */
  end: () => Promise<void>;
};

export type AgentMcp = {
  /** Until they have settled or the time is over; then at each of the agent's turns. */
  turn: (signal?: AbortSignal) => Promise<string[]>;
  tools: () => readonly McpTool[];
  instructions: () => string;
  end: () => Promise<void>;
};

export function sessionMcp(parts: McpParts): SessionMcp {
  const { workspace, session } = parts;
  let loading: Promise<OpenHost | undefined> | undefined;
  let open: OpenHost | undefined;
  let defer: typeof import("../../mcp/defer.ts") | undefined;
  let announced: OpenHost | undefined;

  async function load(): Promise<OpenHost | undefined> {
    // Given for this run it holds as it was; given for good it is looked at again.
    const isForRun = workspace.trust.trusted && workspace.trust.by === undefined;
    const places = { everlongHome: workspace.paths.home, userHome: workspace.userHome };
    const trust = isForRun || !loading ? workspace.trust : await trustState(places, workspace.root, parts.cwd);
    const sources = await mcpSources(workspace, trust);
    if (parts.given) sources.push(mapSource("user", "the editor", parts.given));
    if (sources.every(({ servers, problem }) => problem === undefined && Object.keys(servers).length === 0)) return;
    defer = await import("../../mcp/defer.ts");
    return openHost(sources, parts, trust);
  }

  function start(): Promise<OpenHost | undefined> {
    loading = load().then(
      (host) => {
        open = host;
        return host;
      },
      (error: unknown) => {
        session.publish("soft_failure", { part: "mcp", code: "mcp_failed", message: errorText(error) });
        return undefined;
      },
    );
    return loading;
  }

  async function reload(): Promise<OpenHost | undefined> {
    await (await loading)?.end();
    open = undefined;
    return start();
  }

  /** Once for each reading of the sources: what there is, and what could not be read. */
  async function announce(opened: OpenHost): Promise<string[]> {
    if (announced === opened) return [];
    announced = opened;
    const servers = opened.host.servers().map(({ name, status, tools }) => ({ name, status, tools }));
    await session.emit("session.mcp_servers_loaded", { servers });
    return problemsOf(opened);
  }

  return {
    start: () => void start(),
    async turn(signal) {
      const host = await (loading ?? start());
      if (!host) return [];
      if (announced !== host) await host.host.waitForStart(startWaitMs(parts), signal);
      const problems = await announce(host);
      const news = [...problems, ...(await host.refresh())];
      for (const message of news) tell(session.emit("session.warning", { warningType: "mcp", message }));
      return news;
    },
    offer({ allows = () => true, own } = {}) {
      let deferral: ReturnType<NonNullable<typeof defer>["createDeferral"]> | undefined;
      return (promptLimit) => {
        const mine = own?.tools() ?? [];
        const [servers, names] = [mine.map((t) => t.mcp.server), mine.map((t) => t.name)];
        const shared = (open?.tools() ?? []).filter((t) => !servers.includes(t.mcp.server) && !names.includes(t.name));
        const tools = [...shared, ...mine].filter(allows);
        deferral ??= defer?.createDeferral(workspace.settings.values["mcp.deferTools"]);
        return deferral ? deferral.offer(tools, promptLimit) : tools;
      };
    },
    instructions: () => open?.host.instructions() ?? "",
    accessParts: { open: () => loading ?? start(), reload, waitMs: startWaitMs(parts) },
    async end() {
      await (await loading)?.end();
    },
  };
}

/** The servers of an agent's own `mcp-servers`: started for it, ended with it. Undefined when it names none. */
export async function agentMcp(
  { name, origin, path, mcpServers }: Pick<AgentDefinition, "name" | "origin" | "path" | "mcpServers">,
  parts: McpParts,
): Promise<AgentMcp | undefined> {
  if (Object.keys(mcpServers).length === 0) return undefined;
  // What a project's or a catalogue's agent sends off this machine needs consent too.
  const place = `mcp-servers of ${path || name}`;
  const opened = await openHost(
    [mapSource(origin === "project" || origin === "remote" ? "project" : "agent", place, mcpServers)],
    parts,
  );
  const { host, refresh, tools, end } = opened;
  let isFirst = true;
  return {
    async turn(signal) {
      if (isFirst) await host.waitForStart(startWaitMs(parts), signal);
      const news = [...(isFirst ? problemsOf(opened) : []), ...(await refresh())];
      isFirst = false;
      for (const message of news) tell(parts.session.emit("session.warning", { warningType: "mcp", message }));
      return news;
    },
    tools,
    instructions: () => host.instructions(),
    end,
  };
}

/** What could not be read, and what waits for consent; secrets masked. */
function problemsOf({ loaded, hide }: OpenHost): string[] {
  const waiting = loaded.servers.flatMap((plan) =>
    plan.type === "untrusted" && plan.needs === "consent" ? `MCP server "${plan.name}" is off: ${plan.reason}.` : [],
  );
  return [...loaded.problems, ...waiting].map(hide);
}

const startWaitMs = ({ workspace }: McpParts): number => workspace.settings.values["mcp.startWaitSeconds"] * 1000;
