// `everlong mcp`: Everlong as an MCP server on stdin and stdout. `/mcp`: the MCP servers of a session.
import { home } from "../runtime/client.ts";
import { asText, type CommandCall, type SlashCommand } from "./contract.ts";

export const mcp: SlashCommand = {
  name: "mcp",
  summary: "serve memory to other programs: an MCP server on stdin and stdout",
  options: [{ flags: "--read-only", help: "without the tools that store or change memories" }],
  async own({ options }: CommandCall<{ readOnly?: boolean }>, { stdin, stdout, warn, interrupted, fail }) {
    const stop = new AbortController();
    void interrupted().then(() => stop.abort());
    const readOnly = options.readOnly ?? false;
    const served = await home.serveMcp({ readOnly, stdin, stdout, signal: stop.signal, log: warn });
    return served.ok ? 0 : fail(served.error);
  },
  slash: {
    usage: "[list|show|enable|disable|reload|reconnect NAME]",
    summary: "MCP servers",
    run: async (text, client) => asText(await client.mcp.command(text)),
  },
};
