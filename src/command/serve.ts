// `everlong serve`: the gateway in the foreground.
import type { Command, CommandCall } from "./contract.ts";
import type { ServeOptions } from "./serve-gateway.ts";

export const serve: Command = {
  name: "serve",
  summary: "the gateway: long-session memory for the agents people already use",
  options: [
    { flags: "--host <address>", help: "where to listen; 127.0.0.1 unless set otherwise" },
    { flags: "--port <n>", help: "4747 unless set otherwise; 0 takes a free one" },
    { flags: "--harness-root-dir <dir>", help: "its AGENTS.md joins the pinned text of every session" },
    { flags: "--quiet", help: "only the address and the link" },
    { flags: "--json", help: "one object, then events as JSON lines" },
    { flags: "--link", help: "print a fresh link to the gateway that runs, and start nothing" },
  ],
  async own({ options }: CommandCall<ServeOptions>, process) {
    const { serveGateway } = await import("./serve-gateway.ts");
    return serveGateway(options, process);
  },
};
