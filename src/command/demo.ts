// `everlong demo`: look at the dashboard without having used anything yet.
import { home } from "../runtime/client.ts";
import type { Command, CommandCall, OwnProcess } from "./contract.ts";

type DemoChoice = { port?: string; json?: boolean; open?: boolean; keep?: boolean };

export const demo: Command = {
  name: "demo",
  summary: "a made-up week in a scratch home, served with the dashboard",
  options: [
    { flags: "--port <n>", help: "port to listen on; a free one unless given" },
    { flags: "--open", help: "open the dashboard in a browser" },
    { flags: "--keep", help: "keep the scratch home when it ends" },
    { flags: "--json", help: "print address, link and home as JSON" },
  ],
  async own({ options }: CommandCall<DemoChoice>, own: OwnProcess) {
    const opened = await home.demo.openDemo({ port: options.port ?? "0" });
    if (!opened.ok) return own.fail(opened.error);
    const { gateway, home: folder, remove } = opened.value;
    const stopped = own.interrupted();
    const link = gateway.link();
    own.print(
      options.json
        ? JSON.stringify({ address: gateway.address, link, home: folder, pid: process.pid })
        : [
            "This is made-up data; your own is not touched.",
            `dashboard: ${link}`,
            `scratch home: ${folder} (${options.keep ? "stays" : "deleted when this ends"})`,
            `look from a terminal: EVERLONG_HOME=${folder} everlong sessions --all`,
            "Ctrl+C to stop",
          ].join("\n"),
    );
    if (options.open) await home.openLink(link);
    await stopped;
    await gateway.close();
    if (!options.keep) remove();
    return 0;
  },
};
