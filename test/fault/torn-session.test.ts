// PE2: a session whose log was damaged in any way is resumed by the built program, which says what it found and where.
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { logOf, only, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";

let server: ModelServer;
afterEach(() => server.close());

async function sessionWithWork(): Promise<{ place: Place; id: string; path: string; whole: Buffer }> {
  server = await startModelServer();
  server.script(
    calls([{ id: "c1", name: "bash", args: { command: "echo one", description: "x" } }]),
    text("first answer"),
  );
  const place = placeFor(server);
  const done = await run(place, ["-p", "first question", "--allow-all"]);
  expect(done.code, done.stderr).toBe(0);
  const [id = ""] = sessionsOf(place);
  const path = join(place.home, "sessions", id, "events.jsonl");
  server.always(() => text("resumed answer"));
  return { place, id, path, whole: readFileSync(path) };
}

function quarantined(place: Place): Buffer[] {
  const folder = join(place.home, "quarantine");
  return existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name))) : [];
}

describe("PE2 torn log", () => {
  it("P3 AB19 A8.7 each damage in turn: resumed with its history, line and offset named, the bytes kept", async () => {
    const { place, id, path, whole } = await sessionWithWork();
    const lines = whole.toString().trimEnd().split("\n");
    const last = lines.at(-1) ?? "";
    const before = whole.length - Buffer.byteLength(last) - 1;
    const middle = Buffer.byteLength(`${lines[0]}\n`);
    const torn = `{"id":"${"x".repeat(40)}","type":"user.mess`;
    const tail = (bytes: string | Buffer) => ({
      content: Buffer.concat([whole, Buffer.from(bytes)]),
      damage: { line: lines.length + 1, offset: whole.length },
      moved: Buffer.from(bytes),
    });
    const inMiddle = (bytes: string | Buffer) => ({
      content: Buffer.concat([
        whole.subarray(0, middle),
        Buffer.from(bytes),
        Buffer.from("\n"),
        whole.subarray(middle),
      ]),
      damage: { line: 2, offset: middle },
    });
    const shapes: Record<string, { content: Buffer; damage?: { line: number; offset: number }; moved?: Buffer }> = {
      "torn tail": tail(torn),
      "NUL tail": tail(Buffer.alloc(4096)),
      "cut last record": {
        content: whole.subarray(0, -10),
        damage: { line: lines.length, offset: before },
        moved: whole.subarray(before, -10),
      },
      "bad middle line": inMiddle("not a record"),
      "20 MB line": inMiddle(Buffer.alloc(20 * 1024 * 1024, "x")),
      "partial record then the whole one": {
        content: Buffer.from([...lines.slice(0, -1), torn + last, ""].join("\n")),
        damage: { line: lines.length, offset: before },
      },
      "BOM and CRLF": { content: Buffer.from(`\uFEFF\uFEFF${lines.join("\r\n")}\r\n`) },
      "no final newline, two records on one line": {
        content: Buffer.from([...lines.slice(0, -2), lines.slice(-2).join("")].join("\n")),
      },
    };
    for (const [name, { content, damage, moved }] of Object.entries(shapes)) {
      writeFileSync(path, content);
      const done = await run(place, ["--resume", id, "-p", `after ${name}`]);
      expect(done.code, `${name}: ${done.stderr}`).toBe(0);
      expect(done.stdout).toContain("resumed answer");
      if (damage)
        expect(done.stderr, name).toMatch(
          new RegExp(`^Line ${damage.line} of events.jsonl is \\w+ \\(\\d+ bytes at offset ${damage.offset}\\)`, "m"),
        );
      else expect(done.stderr, name).not.toContain("Damaged");
      if (moved)
        expect(
          quarantined(place).some((bytes) => bytes.equals(moved)),
          name,
        ).toBe(true);
      // Replay goes on from every complete record: the history is in the request.
      const sent = server.requests.at(-1)?.rawBody ?? "";
      for (const said of ["first question", "echo one", "first answer"]) expect(sent, name).toContain(said);
    }
    expect(server.rejected.map((r) => r.violation)).toEqual([]);
  });

  it("P3 an empty log and a log of blanks are resumed as a new conversation", async () => {
    const { place, id, path } = await sessionWithWork();
    for (const content of ["", "\n\r\n"]) {
      writeFileSync(path, content);
      const done = await run(place, ["--resume", id, "-p", "anybody there?"]);
      expect(done.code, done.stderr).toBe(0);
      expect(readFileSync(path, "utf8").trimStart()).toMatch(/^\{"id":"[^"]+","type":"session.start"/);
    }
  });

  it("P3 A8.7 the damage is recorded once, and the next start is quiet about it", async () => {
    const { place, id, path, whole } = await sessionWithWork();
    appendFileSync(path, "torn");
    const first = await run(place, ["--resume", id, "-p", "go on"]);
    expect(first.stderr).toContain(`offset ${whole.length}`);
    const second = await run(place, ["--resume", id, "-p", "go on"]);
    expect(second.stderr).not.toContain("Damaged");
    const damaged = only(logOf(place, id), "session.damaged");
    expect(damaged.map((e) => e.data)).toEqual([
      {
        line: logLines(whole) + 1,
        offset: whole.length,
        bytes: 4,
        file: expect.stringContaining("quarantine") as string,
      },
    ]);
  });

  it("T4 a build that opens a torn log without repair is seen: its next record is lost in the torn line", async () => {
    const { place, id, path, whole } = await sessionWithWork();
    const bin = brokenCopy(/report\.tornBytes > 0 \? report\.damaged\.at\(-1\) : (undefined|void 0)/, "void 0");
    writeFileSync(path, Buffer.concat([whole, Buffer.from('{"id":"torn","type":"x')]));
    const done = await run({ ...place, bin }, ["--resume", id, "-p", "go on"]);
    expect(done.code, done.stderr).toBe(0);
    expect(quarantined(place)).toEqual([]);
    expect(() => logOf(place, id)).toThrow();
  });
});

const logLines = (log: Buffer): number => log.toString().split("\n").length - 1;
