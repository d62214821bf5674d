// C137: telemetry of compactions: off unless a file is named, derived from the events, without a word of the conversation.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { logOf, only, run, sessionsOf } from "../tool/everlong.ts";
import { SUMMARY, stage } from "./stage.ts";

const PLANTED = "quokka harvest";

async function compactedPlace(env: (home: string) => Record<string, string>, summary = text(SUMMARY)) {
  const { place } = await stage(() => text(`the ${PLANTED} is done`), { summary: () => summary });
  mkdirSync(place.home, { recursive: true });
  place.env = { ...place.env, ...env(place.home) };
  expect((await run(place, ["-p", `begin the ${PLANTED}`])).code).toBe(0);
  const [id = ""] = sessionsOf(place);
  const compacted = await run(place, ["--resume", id, "-p", `/compact keep the ${PLANTED}`]);
  return { place, id, compacted };
}

describe("C137 telemetry of compactions", () => {
  it("N37 C137 start and end are lines of the named file, with the events' figures and no text of the conversation", async () => {
    const { place, id, compacted } = await compactedPlace(
      (home) => ({ EVERLONG_OTEL_FILE: join(home, "telemetry.jsonl") }),
      text(`${SUMMARY} ${PLANTED}`, { headers: { "x-request-id": "req-77" } }),
    );
    expect(compacted.code, compacted.stderr).toBe(0);
    const written = readFileSync(join(place.home, "telemetry.jsonl"), "utf8");
    const [start, complete, ...more] = written
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [began] = only(logOf(place, id), "session.compaction_start").map((e) => e.data);
    const [ended] = only(logOf(place, id), "session.compaction_complete").map((e) => e.data);
    expect(more).toEqual([]);
    expect(start).toMatchObject({
      name: "session_compaction_start",
      attributes: {
        trigger: "manual",
        systemTokens: began?.systemTokens,
        conversationTokens: began?.conversationTokens,
        toolDefinitionsTokens: began?.toolDefinitionsTokens,
      },
    });
    expect(complete).toMatchObject({
      name: "session_compaction_complete",
      attributes: {
        trigger: "manual",
        outcome: "applied",
        model: "custom/scripted",
        tokensRemoved: ended?.tokensRemoved,
        messagesRemoved: ended?.messagesRemoved,
        checkpointNumber: 1,
        requestId: "req-77",
        durationMs: expect.any(Number),
      },
    });
    expect(written).not.toContain("quokka");
    expect(written).not.toContain("parser");
  });

  it("C137 F119 without the setting nothing is written; a file that cannot be written stops nothing", async () => {
    const off = await compactedPlace(() => ({}));
    expect(off.compacted.code).toBe(0);
    expect(existsSync(join(off.place.home, "telemetry.jsonl"))).toBe(false);
    const broken = await compactedPlace((home) => ({ EVERLONG_OTEL_FILE: home }));
    expect(broken.compacted.code, broken.compacted.stderr).toBe(0);
    const failures = readFileSync(join(broken.place.home, "logs", "everlong.jsonl"), "utf8");
    expect(failures).toMatch(/"part":"telemetry","code":"EISDIR"/);
  });
});
