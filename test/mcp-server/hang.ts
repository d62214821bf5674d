// A server that stops answering at a given place, and does not care about SIGTERM. argv: initialize, list or call.
import { object, serveRaw } from "./raw.ts";

const at = process.argv[2];
process.on("SIGTERM", () => undefined);
setInterval(() => undefined, 1000);

serveRaw({
  ...(at === "initialize" ? { initialize: () => undefined } : {}),
  "tools/list": () => (at === "list" ? undefined : { tools: [{ name: "wait", inputSchema: object }] }),
  "tools/call": () => undefined,
});
