// `/mcp`: the servers of the session, one of them in full, switched on and off, read and connected anew; secrets masked.

import { commandUsage } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import { clip, firstLine, nearNames } from "../../base/text.ts";
import type { PlannedServer } from "../../mcp/config/load.ts";
import type { ServerConfig } from "../../mcp/config/server-config.ts";
import type { ServerView } from "../../mcp/host.ts";
import type { CommandResult } from "../client/session.ts";
import type { OpenHost } from "./host.ts";

export type McpCommandParts = {
  /** Undefined when no server is named anywhere. */
  open: OpenHost | undefined;
  reload: () => Promise<OpenHost | undefined>;
  /** How long a list waits for servers that are only starting. */
  waitMs: number;
};

const NONE =
  "No MCP server is configured. Name some in .mcp.json of the project, in EVERLONG_HOME/mcp.json or in the setting mcpServers.";
const USAGE = "/mcp [list], /mcp show|enable|disable|reconnect NAME, /mcp reload.";

const refused = (code: string, what: string, next: string, exit: 1 | 2 = 2): CommandResult =>
  fail({ code, what, data: "Nothing was changed.", next, exit });

export async function mcpCommand(args: string, parts: McpCommandParts): Promise<CommandResult> {
  const [verb = "list", ...rest] = args.split(/\s+/).filter(Boolean);
  const name = rest.join(" ");
  if (verb === "reload" && name === "") return listed(await parts.reload(), parts);
  if (verb === "list" && name === "") return listed(parts.open, parts);
  if (!/^(show|enable|disable|reconnect)$/.test(verb) || name === "")
    return fail(commandUsage(`/mcp does not take "${args}".`, USAGE));
  const { open } = parts;
  const plan = open?.loaded.servers.find((server) => server.name === name);
  if (!open || !plan) return unknown(name, open);
  return verb === "show" ? ok(await shown(plan, open, parts)) : changed(verb, plan, open, parts);
}

function unknown(name: string, open: OpenHost | undefined): CommandResult {
  const names = open?.loaded.servers.map((server) => server.name) ?? [];
  const near = nearNames(name, names);
  const next = names.length === 0 ? NONE : `There are: ${(near.length > 0 ? near : names).join(", ")}.`;
  return refused("unknown_mcp_server", `There is no MCP server "${clip(name, 80)}".`, next);
}

async function listed(open: OpenHost | undefined, { waitMs }: McpCommandParts): Promise<CommandResult> {
  if (!open) return ok(NONE);
  await open.host.waitForStart(waitMs);
  const { definitionTokens } = await import("../../mcp/defer.ts");
  const tokens = (name: string): number =>
    open
      .look()
      .filter((tool) => tool.mcp.server === name)
      .reduce((sum, tool) => sum + definitionTokens(tool), 0);
  const rows = open.host.servers().map((server) => {
    const count = server.status === "connected" ? `${server.tools} tools, about ${tokens(server.name)} tokens` : "";
    return [`${server.name}  ${server.status}`, count, server.reason ? firstLine(server.reason, 300) : "", server.where]
      .filter(Boolean)
      .join("  ");
  });
  return ok(open.hide([...rows, ...open.loaded.problems].join("\n")));
}

async function changed(
  verb: string,
  plan: PlannedServer,
  open: OpenHost,
  parts: McpCommandParts,
): Promise<CommandResult> {
  const { name } = plan;
  const { host } = open;
  if (verb === "disable") {
    await host.disable(name);
    return ok(
      `MCP server "${name}" is off for this session. For every one: everlong settings set mcp.disabled ${name}`,
    );
  }
  const done = verb === "enable" ? host.enable(name) : await host.reconnect(name);
  if (!done)
    return refused(
      "mcp_server_unusable",
      open.hide(`MCP server "${name}" cannot be started: ${"reason" in plan ? plan.reason : "it is off"}.`),
      `Put that right in ${plan.where}, then /mcp reload.`,
      1,
    );
  await host.waitForStart(parts.waitMs);
  const view = viewOf(name, open);
  const state = view?.reason ? `${view.status}: ${view.reason}` : view?.status;
  return ok(open.hide(`MCP server "${name}" is ${state}. Its tools count from the next turn on.`));
}

const viewOf = (name: string, { host }: OpenHost): ServerView | undefined =>
  host.servers().find((server) => server.name === name);

async function shown(plan: PlannedServer, open: OpenHost, { waitMs }: McpCommandParts): Promise<string> {
  await open.host.waitForStart(waitMs);
  const view = viewOf(plan.name, open);
  const config = "config" in plan ? plan.config : undefined;
  const tools = open
    .look()
    .filter((tool) => tool.mcp.server === plan.name)
    .map(({ name, description, mcp }) => {
      const marks = [mcp.readOnly ? "read-only" : "", mcp.task ? "task" : ""].filter(Boolean).join(", ");
      return `  ${name}${marks ? ` (${marks})` : ""}: ${firstLine(description, 120)}`;
    });
  const lines = [
    `${plan.name}  ${view?.status ?? plan.type}`,
    ...(view?.reason ? [`why: ${view.reason}`] : []),
    `named in: ${plan.where} (${plan.origin})`,
    ...(config ? configLines(config) : []),
    ...(tools.length > 0 ? ["tools:", ...tools] : []),
    ...(view?.warnings ?? []).map((warning) => `warning: ${warning}`),
    ...(view && view.lastLines.length > 0 ? ["last lines of its stderr:", ...view.lastLines.map((l) => `  ${l}`)] : []),
  ];
  return open.hide(lines.join("\n"));
}

const names = (of: Record<string, string>): string[] => Object.keys(of).map((key) => `${key}=…`);

function configLines({ line, tools, timeoutMs }: ServerConfig): string[] {
  const common = [
    ...(tools.includes("*") ? [] : [`offers only: ${tools.join(", ")}`]),
    ...(timeoutMs === undefined ? [] : [`time-out of a call: ${timeoutMs} ms`]),
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
