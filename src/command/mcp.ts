// `everlong mcp`: Everlong as an MCP server on stdin and stdout. `/mcp`: the MCP servers of a session.
import { commandUsage } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import { firstLine } from "../base/text.ts";
import { home, type McpAccess, type McpServerFacts, type McpServerRow } from "../runtime/client.ts";
import { type CommandCall, type CommandOutcome, describe, output, type SlashCommand } from "./contract.ts";

export const mcp: SlashCommand = {
  name: "mcp",
  summary: "run as an MCP server, so that other agents can use your memory",
  options: [{ flags: "--read-only", help: "don't offer tools that change memories" }],
  async own({ options }: CommandCall<{ readOnly?: boolean }>, { stdin, stdout, warn, interrupted, fail }) {
    const stop = new AbortController();
    void interrupted().then(() => stop.abort());
    const readOnly = options.readOnly ?? false;
    const served = await home.serveMcp({ readOnly, stdin, stdout, signal: stop.signal, log: warn });
    return served.ok ? 0 : fail(served.error);
  },
  slash: {
    usage: "[list|show|enable|disable|reload|reconnect NAME]",
    summary: "list and manage MCP servers",
    async run(text, { mcp: servers }) {
      const [verb = "list", ...rest] = text.split(/\s+/).filter(Boolean);
      const name = rest.join(" ");
      if (name === "" && (verb === "list" || verb === "reload")) {
        if (verb === "reload") await servers.reload();
        return listServers(servers);
      }
      if (name === "" || !(verb === "show" || verb === "disable" || verb === "enable" || verb === "reconnect"))
        return fail(commandUsage(`/mcp does not take "${text}".`, USAGE));
      if (verb === "show") return describe(await servers.show(name), serverText);
      if (verb === "disable")
        return describe(
          await servers.disable(name),
          () =>
            `MCP server "${name}" is off for this session. For every session: everlong settings set mcp.disabled ${name}`,
        );
      return describe(
        await servers[verb](name),
        ({ status, reason }) =>
          `MCP server "${name}" is ${reason ? `${status}: ${reason}` : status}. Its tools are available from the next turn.`,
      );
    },
  },
};

const USAGE = "/mcp [list], /mcp show|enable|disable|reconnect NAME, /mcp reload.";
const NONE =
  "No MCP servers configured. Add them to the project's .mcp.json, to EVERLONG_HOME/mcp.json or to the setting mcpServers.";

async function listServers(access: McpAccess): Promise<CommandOutcome> {
  const listed = await access.list();
  return output(listed ? [...listed.servers.map(rowText), ...listed.problems].join("\n") : NONE, listed);
}

const rowText = ({ name, status, tools, tokens, reason, where }: McpServerRow): string =>
  [
    `${name}  ${status}`,
    status === "connected" ? `${tools} tools, about ${tokens} tokens` : "",
    reason ? firstLine(reason, 300) : "",
    where,
  ]
    .filter(Boolean)
    .join("  ");

function serverText({ reason, tools, warnings, lastLines, ...server }: McpServerFacts): string {
  const toolLines = tools.map(({ name, description, readOnly, task }) => {
    const marks = [readOnly ? "read-only" : "", task ? "task" : ""].filter(Boolean).join(", ");
    return `  ${name}${marks ? ` (${marks})` : ""}: ${firstLine(description, 120)}`;
  });
  return [
    `${server.name}  ${server.status}`,
    ...(reason ? [`why: ${reason}`] : []),
    `defined in: ${server.where} (${server.origin})`,
    ...server.configuration,
    ...(toolLines.length > 0 ? ["tools:", ...toolLines] : []),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...(lastLines.length > 0 ? ["last lines of its stderr:", ...lastLines.map((line) => `  ${line}`)] : []),
  ].join("\n");
}
