// A resumed gemini session that compresses its history: gemini repeats tool results there, and the provider refuses that.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clients, installed } from "./client.ts";
import { ANSWER, scriptShell, stageFor, talks } from "./stage.ts";

type Part = { functionCall?: unknown; functionResponse?: unknown };
type Content = { role?: string; parts?: Part[] };

/** As many results as the calls just before them. */
function isPaired(rawBody: string): boolean {
  const { contents = [] } = JSON.parse(rawBody) as { contents?: Content[] };
  const count = (content: Content | undefined, kind: keyof Part): number =>
    content?.parts?.filter((part) => part[kind] !== undefined).length ?? 0;
  return contents.every((content, i) => {
    const results = count(content, "functionResponse");
    return results === 0 || results === count(contents[i - 1], "functionCall");
  });
}

for (const client of clients.filter(({ name }) => name === "gemini"))
  describe.skipIf(installed(client) === undefined)("gemini", () => {
    it("N25 X47 a resumed session that compresses lives on", async () => {
      const { server, home, with: start, resume } = await stageFor(client);
      scriptShell(server, client, ["cat a.txt", "ls", "cat a.txt"]);
      expect((await start(client.first("Read a.txt and tell me the marker."))).code).toBe(0);
      mkdirSync(join(home, ".gemini"), { recursive: true });
      writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify({ model: { compressionThreshold: 0.001 } }));
      const before = server.requests.length;
      scriptShell(server, client, ["ls"]);
      const done = await resume("And once more, please.");
      expect(done.code, done.stderr).toBe(0);
      expect(done.stdout).toContain(ANSWER);
      const later = server.requests.slice(before);
      expect(later.some((request) => !talks(client, request) && request.rawBody.includes("state_snapshot"))).toBe(true);
      expect(later.filter(({ rawBody }) => !isPaired(rawBody))).toHaveLength(0);
    });
  });
