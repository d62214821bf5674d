// `everlong serve`: the gateway in the foreground.
import type { Command, CommandCall } from "./contract.ts";
import type { ServeOptions } from "./serve-gateway.ts";

export const serve: Command = {
  name: "serve",
  summary: "run the gateway: memory for the agents you already use",
  options: [
    { flags: "--host <address>", help: "address to listen on (default: the setting gateway.host)" },
    { flags: "--port <n>", help: "port to listen on (default: the setting gateway.port); 0 picks a free one" },
    {
      flags: "--database <url>",
      help: "serve a team's memory from PostgreSQL (default: the setting gateway.database)",
    },
    { flags: "--harness-root-dir <dir>", help: "add this folder's AGENTS.md to every session's pinned text" },
    { flags: "--quiet", help: "print only the address and the link" },
    { flags: "--json", help: "print events as JSON lines" },
    { flags: "--link", help: "print a new link to the running gateway" },
    { flags: "--open", help: "open the dashboard in a browser; with --link that of the running gateway" },
  ],
  async own({ options }: CommandCall<ServeOptions>, process) {
    const { serveGateway } = await import("./serve-gateway.ts");
    return serveGateway(options, process);
  },
};
