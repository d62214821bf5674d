// cline's full-screen interface: its hub, a daemon with settings of its own, is neither started nor used by a run of ours.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clients, installed } from "./client.ts";
import { scriptShell, stageFor } from "./stage.ts";

for (const client of clients.filter(({ name }) => name === "cline"))
  describe.skipIf(installed(client) === undefined)("cline", () => {
    it("X114 XE13 a second run in the terminal reaches the gateway too, and no daemon is left", async () => {
      const { server, home, with: start, resume } = await stageFor(client);
      scriptShell(server, client, []);
      expect((await start(client.first("Say the marker."))).code).toBe(0);
      for (const prompt of ["And once more, please.", "And a third time."]) {
        expect((await resume(prompt)).code).toBe(0);
        expect(server.requests.at(-1)?.rawBody).toContain(prompt);
      }
      expect(existsSync(join(home, ".cline", "data", "locks", "hub"))).toBe(false);
    });
  });
