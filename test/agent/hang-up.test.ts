// A window that is closed while the agent is open in it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, placeFor } from "../tool/everlong.ts";
import { until } from "./scene.ts";
import { openTerminal } from "./terminal.ts";

let server: ModelServer;
afterEach(() => server.close());

it("A8.21 the session ends as if it had been left: its end is in the log, and nothing is taken for a bug", async () => {
  server = await startModelServer();
  server.always(() => text("an answer"));
  const place = placeFor(server);
  const terminal = openTerminal(place, ["--trust-folder"]);
  await terminal.see("> ");
  terminal.type("hello");
  await terminal.see("an answer");
  terminal.hangUp();
  await until("the end of the session", () => logOf(place).at(-1)?.type === "session.shutdown");
  expect(existsSync(join(place.home, "logs"))).toBe(false);
});
