// Real clients through `everlong with`, with a scripted model and no network but loopback.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ModelServer } from "../../model-server/server.ts";
import { treeChanges, treeOf } from "../../tool/tree-hash.ts";
import { clients, installed } from "./client.ts";
import { ANSWER, expectBareSide, scriptShell, stageFor } from "./stage.ts";

type Tree = ReturnType<typeof treeOf>;

/** Of 14,000 characters each: with memory off, every client is refused on the way. */
const ROUNDS = 34;
const PROMPT = "Read a.txt and tell me the marker.";

/** X8: nothing that was meant for the gateway went on. */
function ownHeaders(server: ModelServer): string[] {
  return server.requests.flatMap(({ headers }) => Object.keys(headers).filter((name) => name.startsWith("x-everlong")));
}

const sessionsOf = (home: string): string[] => {
  const folder = join(home, "proxy", "sessions");
  return existsSync(folder) ? readdirSync(folder) : [];
};

for (const client of clients) {
  describe.skipIf(installed(client) === undefined)(
    `${client.name} ${client.variant ?? ""}${installed(client) ? "" : " (not installed)"}`,
    () => {
      it("X115 XE13 a task with two tools; home and project unchanged but for what the client writes", async () => {
        const { place, home, server, with: start } = await stageFor(client);
        scriptShell(server, client, ["cat a.txt", "ls"]);
        const [project, user] = [treeOf(place.folder), treeOf(home)];
        const done = await start(client.first(PROMPT));
        expect(done.code, done.stderr).toBe(0);
        expect(done.stdout + done.stderr).toContain(ANSWER);
        const bodies = server.requests.map(({ rawBody }) => rawBody);
        expect(bodies.some((body) => body.includes("hello PELICAN"))).toBe(true);
        expect(server.requests.length).toBeGreaterThanOrEqual(3);
        expect(ownHeaders(server)).toEqual([]);
        expect(sessionsOf(place.home), "the conversation is one session of the gateway").toHaveLength(1);
        const strange = (before: Tree, folder: string, own?: RegExp) =>
          treeChanges(before, treeOf(folder)).filter((change) => !own?.test(change.slice(2)));
        expect(strange(project, place.folder, client.writesInProject)).toEqual([]);
        expect(strange(user, home, client.writes)).toEqual([]);
        expect(existsSync(join(place.home, "gateway.json"))).toBe(false);
        expect(readdirSync(join(place.home, "with"))).toEqual([]);
      });

      it("X115 a session that is gone on with stays the same session", async () => {
        const { place, server, with: start, resume } = await stageFor(client);
        scriptShell(server, client, ["cat a.txt"]);
        expect((await start(client.first(PROMPT))).code).toBe(0);
        const before = server.requests.length;
        scriptShell(server, client, ["ls"]);
        const done = await resume("And once more, please.");
        expect(done.code, done.stderr).toBe(0);
        const again = server.requests.slice(before).find(({ rawBody }) => rawBody.includes("And once more, please."));
        expect(again?.rawBody.includes("hello PELICAN")).toBe(true);
        expect(sessionsOf(place.home)).toHaveLength(1);
      });

      it("X115 a history beyond the window goes on, and the upstream never refuses it", async () => {
        const window = 48_000;
        const env = { EVERLONG_PROXY_WINDOWS: `*: ${window}` };
        const { place, server, with: start } = await stageFor(client, { maxTokens: window }, env);
        const big = (i: number) =>
          `seq ${i}00000 ${i}00000 | head -1; seq 1 2500 | sed 's/^/line ${i} of the log /' | head -c 14000`;
        scriptShell(
          server,
          client,
          Array.from({ length: ROUNDS }, (_, i) => big(i + 1)),
        );
        const done = await start(client.first(PROMPT));
        expect(done.code, done.stderr).toBe(0);
        expect(done.stdout + done.stderr).toContain(ANSWER);
        expect(server.requests.filter(({ overLimit }) => overLimit)).toHaveLength(0);
        expect(server.requests.filter(({ rawBody }) => !rawBody.includes(client.keeps ?? ""))).toHaveLength(0);
        expect(server.requests.length).toBeGreaterThan(ROUNDS);
        expectBareSide(server, client, client.longSide);
        expect(sessionsOf(place.home)).toHaveLength(1);
      });
    },
  );
}
