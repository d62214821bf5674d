// Logs of other programs: event types that we do not know, versions that we cannot write.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";

let server: ModelServer;
afterEach(() => server.close());

async function withSession(): Promise<{ place: Place; id: string; path: string }> {
  server = await startModelServer();
  server.always(() => text("an answer"));
  const place = placeFor(server);
  await run(place, ["-p", "first question"]);
  const [id = ""] = sessionsOf(place);
  return { place, id, path: join(place.home, "sessions", id, "events.jsonl") };
}

describe("B64 other logs", () => {
  it("B64 A8.3 unknown event types and fields are kept and ignored, with one notice", async () => {
    const { place, id, path } = await withSession();
    const unknown = [1, 2, 3].map((n) =>
      JSON.stringify({
        id: `u${n}`,
        type: `future.thing_${n % 2}`,
        timestamp: "2030-01-01",
        parentId: null,
        data: { n },
      }),
    );
    appendFileSync(path, `${unknown.join("\n")}\n`);
    const done = await run(place, ["--resume", id, "-p", "second question"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr.match(/future\.thing_1/g)?.length).toBe(1);
    expect(done.stderr).not.toContain("Damaged");
    for (const line of unknown) expect(readFileSync(path, "utf8")).toContain(line);
    expect(server.requests.at(-1)?.rawBody).toContain("first question");
  });

  it("B64 a log of a higher version opens for reading only: export works, resume and changes are refused, no byte changes", async () => {
    const { place, id, path } = await withSession();
    const newer = `${readFileSync(path, "utf8").replace('"version":1', '"version":2')}{"id":"torn","type":"fu`;
    writeFileSync(path, newer);
    const asked = server.requests.length;
    const resumed = await run(place, ["--resume", id, "-p", "x"]);
    expect(resumed.code).toBe(1);
    expect(resumed.stderr).toMatch(/newer everlong.*version 2/);
    for (const change of [
      ["rename", id, "y"],
      ["rewind", id, "--to", "t1"],
    ]) {
      expect((await run(place, ["sessions", ...change])).code, change.join(" ")).toBe(1);
    }
    const exported = await run(place, ["sessions", "export", id]);
    expect(exported.code, exported.stderr).toBe(0);
    expect(exported.stdout).toContain("first question");
    expect(readFileSync(path, "utf8")).toBe(newer);
    expect(server.requests.length).toBe(asked);
  });
});
