// A process that hosts a server and stays until it is killed. argv: the journal of the server.
import { systemClock } from "../../src/base/clock.ts";
import { createOwner } from "../../src/host/process.ts";
import { parseServer } from "../../src/mcp/config/server-config.ts";
import { createHost } from "../../src/mcp/host.ts";
import { program } from "./program.ts";

const options = JSON.stringify({ journal: process.argv[2], grandchild: true });
const config = parseServer("plain", program("plain", options), {});
if (!config.ok) throw new Error(config.error);
const host = createHost([{ name: "plain", origin: "user", where: "test", type: "ready", config: config.value }], {
  owner: createOwner({ runId: `mcp-host-process-${process.pid}` }),
  cwd: import.meta.dirname,
  environment: { base: process.env, secrets: [] },
  version: "0",
  answers: {},
  clock: systemClock,
  callTimeoutMs: 20_000,
});
host.start();
await host.waitForStart(60_000);
process.stdout.write("ready\n");
setInterval(() => undefined, 1000);
