// The servers of a session for its user: looked at, switched on and off, read and connected anew; secrets masked.
import { type Failure, refusal } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { clip, nearNames } from "../../base/text.ts";
import type { PlannedServer } from "../../mcp/config/load.ts";
import type { ServerConfig } from "../../mcp/config/server-config.ts";
import { definitionTokens } from "../../mcp/defer.ts";
import { filteredValue } from "../../memory/secret/filter.ts";
import type { OpenHost } from "./host.ts";

export type McpAccess = ReturnType<typeof mcpAccess>;
type Listing = NonNullable<Awaited<ReturnType<McpAccess["list"]>>>;
export type McpServerRow = Listing["servers"][number];
export type McpServerFacts = Extract<Awaited<ReturnType<McpAccess["show"]>>, { ok: true }>["value"];

export type McpAccessParts = {
  /** Undefined when no server is named anywhere. */
  open: () => Promise<OpenHost | undefined>;
  reload: () => Promise<unknown>;
  /** How long is waited for servers that are only starting. */
  waitMs: number;
};

export function mcpAccess({ open: opened, reload, waitMs }: McpAccessParts) {
  const find = async (name: string): Promise<Result<{ open: OpenHost; plan: PlannedServer }, Failure>> => {
    const open = await opened();
    const plan = open?.loaded.servers.find((server) => server.name === name);
    return open && plan ? ok({ open, plan }) : unknown(name, open);
  };
  const viewOf = (name: string, { host }: OpenHost) => host.servers().find((server) => server.name === name);
  const toolsOf = (name: string, open: OpenHost) => open.look().filter((tool) => tool.mcp.server === name);
  const start = async (name: string, how: "enable" | "reconnect") => {
    const server = await find(name);
    if (!server.ok) return server;
    const { open, plan } = server.value;
    if (!(await open.host[how](name))) return unusable(plan, open);
    await open.host.waitForStart(waitMs);
    const { status = "unknown", reason } = viewOf(name, open) ?? {};
    return ok(filteredValue(open.hide, { status, ...optional("reason", reason) }));
  };
  return {
    /** Undefined when no server is named anywhere. It waits for those that are only starting. */
    async list() {
      const open = await opened();
      if (!open) return undefined;
      await open.host.waitForStart(waitMs);
      const servers = open.host.servers().map((server) => {
        // About what the definitions of its tools cost a request.
        const tokens = toolsOf(server.name, open).reduce((sum, tool) => sum + definitionTokens(tool), 0);
        return { ...server, tokens };
      });
      return filteredValue(open.hide, { servers, problems: open.loaded.problems });
    },
    /** Reads where servers are named and starts them all anew. */
    reload: async () => void (await reload()),
    async show(name: string) {
      const server = await find(name);
      if (!server.ok) return server;
      const { open, plan } = server.value;
      await open.host.waitForStart(waitMs);
      const { status = plan.type, reason, warnings = [], lastLines = [] } = viewOf(name, open) ?? {};
      const tools = toolsOf(name, open).map(({ name: tool, description, mcp: { readOnly, task } }) => ({
        ...{ name: tool, description, readOnly, task },
      }));
      const configuration = "config" in plan ? configLines(plan.config) : [];
      const { where, origin } = plan;
      const facts = { name, status, where, origin, configuration, tools, warnings, lastLines };
      return ok(filteredValue(open.hide, { ...facts, ...optional("reason", reason) }));
    },
    async disable(name: string) {
      const server = await find(name);
      if (!server.ok) return server;
      await server.value.open.host.disable(name);
      return ok(undefined);
    },
    /** Gives how the server is then. */
    enable: (name: string) => start(name, "enable"),
    reconnect: (name: string) => start(name, "reconnect"),
  };
}

const NONE =
  "No MCP servers configured. Add them to the project's .mcp.json, to EVERLONG_HOME/mcp.json or to the setting mcpServers.";

function unknown(name: string, open: OpenHost | undefined) {
  const all = open?.loaded.servers.map((server) => server.name) ?? [];
  const near = nearNames(name, all);
  return fail<Failure>(
    refusal(
      "unknown_mcp_server",
      `MCP server not found: ${clip(name, 80)}.`,
      all.length === 0 ? NONE : `There are: ${(near.length > 0 ? near : all).join(", ")}.`,
      2,
    ),
  );
}

const unusable = (plan: PlannedServer, { hide }: OpenHost) =>
  fail<Failure>(
    refusal(
      "mcp_server_unusable",
      hide(`MCP server "${plan.name}" cannot be started: ${"reason" in plan ? plan.reason : "it is off"}.`),
      `Fix it in ${plan.where}, then run /mcp reload.`,
    ),
  );

const names = (of: Record<string, string>): string[] => Object.keys(of).map((key) => `${key}=…`);

function configLines({ line, tools, timeoutMs }: ServerConfig): string[] {
  const common = [
    ...(tools.includes("*") ? [] : [`offers only: ${tools.join(", ")}`]),
    ...(timeoutMs === undefined ? [] : [`call timeout: ${timeoutMs} ms`]),
  ];
  if (line.type !== "stdio")
    return [`${line.type}: ${maskedUrl(line.url)}`, ...listOf("headers", names(line.headers)), ...common];
  const command = [line.command, ...line.args].join(" ");
  return [`stdio: ${command}`, ...(line.cwd ? [`in: ${line.cwd}`] : []), ...listOf("env", names(line.env)), ...common];
}

const listOf = (what: string, all: string[]): string[] => (all.length > 0 ? [`${what}: ${all.join(" ")}`] : []);

/** Keys stand in the user part and in the query. */
function maskedUrl(text: string): string {
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") url.username = url.password = "";
  const query = [...url.searchParams.keys()].map((key) => `${key}=…`).join("&");
  url.search = "";
  return query === "" ? url.href : `${url.href}?${query}`;
}
