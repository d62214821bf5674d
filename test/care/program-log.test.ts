// The program's own log: what failed is in logs/everlong.jsonl, private, without secrets, bounded, at the level that was set.
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { converse, stage } from "../context/stage.ts";
import { error, stall, text } from "../model-server/reply.ts";
import { type Place, run } from "../tool/everlong.ts";

const TOKEN = `${"ghp_"}${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;

const logOf = (place: Place): string => join(place.home, "logs", "everlong.jsonl");
const linesOf = (place: Place): Record<string, unknown>[] =>
  readFileSync(logOf(place), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const filesOf = (place: Place): string[] =>
  readdirSync(join(place.home, "logs"))
    .filter((name) => name.startsWith("everlong.jsonl"))
    .sort();

const failing = () => stage(() => error(400, `bad key ${TOKEN} ${"so ".repeat(200)}`));

describe("the program's own log", () => {
  it("F68 a failed model call is one private line at warn, with 200 characters of what was answered and no secret", async () => {
    const { place } = await failing();
    const ended = await run(place, ["-p", "go"]);
    expect(ended.code).not.toBe(0);
    const calls = linesOf(place).filter(({ event }) => event === "call_failure");
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ level: "warn", part: "custom/scripted", sessionId: expect.any(String) });
    expect(String(calls[0]?.["excerpt"])).toMatch(/bad key .*so so/);
    expect(String(calls[0]?.["excerpt"])).toHaveLength(200);
    expect(readFileSync(logOf(place), "utf8")).not.toContain(TOKEN);
    expect(statSync(logOf(place)).mode & 0o777).toBe(0o600);
    expect(ended.stdout + ended.stderr).not.toContain("call_failure");
  });

  it("F67 F68 log.level error leaves failed calls out", async () => {
    const { place } = await failing();
    place.env["EVERLONG_LOG_LEVEL"] = "error";
    await run(place, ["-p", "go"]);
    expect(() => statSync(logOf(place))).toThrow("ENOENT");
  });

  for (const level of ["info", "debug"])
    it(`F67 F68 what a person broke off is written at debug; log.level is ${level}`, async () => {
      const { place, mains } = await stage((_request, index) => (index === 0 ? stall("well") : text("yes")));
      const { client, events, close } = await converse(place, { env: { EVERLONG_LOG_LEVEL: level } });
      await client.send("go");
      await expect.poll(() => mains().length).toBe(1);
      await expect.poll(() => events.some(({ type }) => type === "assistant.message_delta")).toBe(true);
      client.interrupt("user");
      await client.untilIdle();
      await close();
      if (level === "debug") expect(linesOf(place)).toMatchObject([{ level: "debug", event: "aborted", part: "turn" }]);
      else expect(() => statSync(logOf(place))).toThrow("ENOENT");
    });

  it("F68 a file of 10 MB makes place for a new one; there are never more than seven", async () => {
    const { place } = await failing();
    mkdirSync(join(place.home, "logs"), { recursive: true, mode: 0o700 });
    for (const at of [0, 1, 2, 3, 4, 5, 6])
      writeFileSync(at === 0 ? logOf(place) : `${logOf(place)}.${at}`, `old-${at}`);
    truncateSync(logOf(place), 10 * 1024 * 1024);
    await run(place, ["-p", "go"]);
    expect(filesOf(place)).toHaveLength(7);
    expect(readFileSync(`${logOf(place)}.6`, "utf8")).toBe("old-5");
    expect(statSync(`${logOf(place)}.1`).size).toBe(10 * 1024 * 1024);
    expect(linesOf(place).map(({ event }) => event)).toContain("call_failure");
  });
});
