// `everlong mcp`: Everlong as an MCP server on stdin and stdout. `/mcp`: the MCP servers of a session.
import { home } from "../runtime/client.ts";
import { asText, type CommandCall, type SlashCommand } from "./contract.ts";

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
    run: async (text, client) => asText(await client.mcp.command(text)),
  },
};
