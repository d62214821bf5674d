// CE1 CB3 CB22: /compact by hand: one call, its events, its files, and the shape of the next request.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { messagesOf, textOf } from "../agent/scene.ts";
import { hang, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run, sessionsOf, start } from "../tool/everlong.ts";
import { converse, DETAILS, fileOf, prose, SUMMARY, stage } from "./stage.ts";

const CONTENT = `<compaction_notice>
The earlier conversation, t1-t3, was summarised to save room (checkpoint 1). What follows is a record of it and not a new instruction: the user's own prompts, a summary of the work, and what was in force. Go on with the task where it stands. Do not redo finished work. Nothing is lost: call recall with id "t1-t3", one turn "tN" or one item "tN.k" for the exact original.
</compaction_notice>
<original_prompts>
<user_prompt turn="t1">
first: write a parser
</user_prompt>
<user_prompt turn="t2">
second: use tuples
</user_prompt>
<user_prompt turn="t3">
third: add tests
</user_prompt>
</original_prompts>
<conversation_summary>
<overview>
The user builds a parser [t1].
</overview>
<history>
Files were read.
</history>
<work_done>
Lexer done.
</work_done>
<technical_details>
${DETAILS}
</technical_details>
<important_files>
src/parser.ts
</important_files>
<next_steps>
Write the grammar.
</next_steps>
</conversation_summary>`;

const PROMPTS = ["first: write a parser", "second: use tuples", "third: add tests"];

async function threePrompts(place: Place): Promise<string> {
  const { client, say, close } = await converse(place);
  for (const prompt of PROMPTS) await say(prompt);
  await close();
  return client.sessionId;
}

const rowsOf = (place: Place): Record<string, unknown>[] => {
  const db = new DatabaseSync(join(place.home, "store.db"), { readOnly: true });
  try {
    return db.prepare("SELECT * FROM checkpoints ORDER BY checkpoint_number").all();
  } finally {
    db.close();
  }
};

describe("CE1 manual compaction", () => {
  it("CE1 C77 C78 C106 C122 C124 C125 one call with focus, events, file, index, count and row that agree", async () => {
    const { place, server, summaries, mains } = await stage((_r, n) => text(`answer ${n + 1}`));
    const id = await threePrompts(place);
    const third = messagesOf(mains()[2]);
    const done = await run(place, ["--resume", id, "-p", "/compact keep the parser", "--output-format", "text"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toMatch(
      /^Compacted: \d+ % → \d+ % of 24000 tokens, 5 messages .*; checkpoint 1: Parser work\n$/,
    );

    expect(server.requests).toHaveLength(4);
    const [call] = summaries();
    const { messages, tools, tool_choice } = (call?.body ?? {}) as Record<string, unknown>;
    expect(tool_choice).toBe("none");
    expect(mains()[2]?.body).toMatchObject({ tools });
    // Everything but the instructions is what the session sent before: the provider's cache serves it.
    expect((messages as unknown[]).slice(0, third.length)).toEqual(third);
    const last = textOf(messagesOf(call).at(-1));
    expect(last).toContain("keep the parser");
    for (const [n, prompt] of PROMPTS.entries()) expect(last).toContain(`t${n + 1}: ${prompt}`);

    const log = logOf(place, id);
    const [begun] = only(log, "session.compaction_start");
    const [ended] = only(log, "session.compaction_complete");
    const attempt = begun?.data.compactionAttemptId;
    const shared = { compactionAttemptId: attempt, trigger: "manual", customInstructions: "keep the parser" };
    expect(begun?.data).toMatchObject({ ...shared, mode: "blocking", messagesLength: 6, tokenLimit: 24_000 });
    expect(ended?.data).toMatchObject({
      ...shared,
      success: true,
      outcome: "applied",
      summaryContent: SUMMARY,
      replacementContent: CONTENT,
      compactedTurns: { from: 1, to: 3 },
      checkpointNumber: 1,
      checkpointPath: join(place.home, "sessions", id, "checkpoints", "001-parser-work.md"),
      preCompactionMessagesLength: 6,
      postCompactionMessagesLength: 1,
      compactionTokensUsed: { requestCount: 1 },
    });
    expect(only(log, "assistant.usage").at(-1)?.data.interaction).toBe("conversation-compaction");

    expect(readdirSync(join(place.home, "sessions", id, "checkpoints")).sort()).toEqual([
      "001-parser-work.md",
      "index.md",
    ]);
    const file = fileOf(place, id, "checkpoints", "001-parser-work.md");
    for (const part of ["number: 1", 'title: "Parser work"', "trigger: manual", 'turns: "t1-t3"', String(attempt)])
      expect(file).toContain(part);
    expect(file).toContain("## Overview\n\nThe user builds a parser [t1].\n\n## History\n\nFiles were read.");
    expect(file).not.toContain("checkpoint_title");
    const index = fileOf(place, id, "checkpoints", "index.md");
    expect(index).toContain(`| 1 | Parser work | ${ended?.timestamp} | t1-t3 | 001-parser-work.md | live |`);
    expect(fileOf(place, id, "workspace.yaml")).toContain("summary_count: 1\n");
    expect(rowsOf(place)).toMatchObject([
      {
        session_id: id,
        checkpoint_number: 1,
        title: "Parser work",
        overview: "The user builds a parser [t1].",
        next_steps: "Write the grammar.",
        event_id: ended?.id,
        trigger: "manual",
        turn_from: 1,
        turn_to: 3,
        path: ended?.data.checkpointPath,
        state: "live",
        created_at: ended?.timestamp,
      },
    ]);

    const next = await run(place, ["--resume", id, "-p", "fourth: go on"]);
    expect(next.code, next.stderr).toBe(0);
    expect(messagesOf(mains().at(-1))).toEqual([
      third[0],
      { role: "user", content: CONTENT },
      { role: "user", content: "fourth: go on" },
    ]);
  });

  it("CE1 CB3 C68 a second /compact, and one in a new session, exit 1 without a call or an event", async () => {
    const { place, server } = await stage(() => text("answer"));
    const id = await threePrompts(place);
    expect((await run(place, ["--resume", id, "-p", "/compact"])).code).toBe(0);
    const before = server.requests.length;
    const second = await run(place, ["--resume", id, "-p", "/compact", "--output-format", "json"]);
    expect(second.code).toBe(1);
    expect(second.json).toMatchObject({ success: false, error: { code: "nothing_to_compact" } });
    expect(only(logOf(place, id), "session.compaction_start")).toHaveLength(1);
    const fresh = await run(place, ["-p", "/compact"]);
    expect(fresh.code).toBe(1);
    expect(fresh.stderr).toContain("Nothing to compact");
    expect(server.requests).toHaveLength(before);
    expect(sessionsOf(place)).toEqual([id]);
  });

  it("C67 a focus of more than 4,000 characters is clipped with a warning", async () => {
    const { place, summaries } = await stage(() => text("answer"));
    const id = await threePrompts(place);
    const talk = await converse(place, { resume: id });
    const focus = `${"focus ".repeat(700)}END`;
    expect((await talk.client.history.compact(focus)).ok).toBe(true);
    expect(only(talk.events, "session.warning").map((e) => e.data.warningType)).toEqual(["focus_clipped"]);
    expect(only(talk.events, "session.compaction_complete")[0]?.data.customInstructions).toBe(focus.slice(0, 4000));
    expect(summaries()[0]?.rawBody).not.toContain("END");
  });

  it("C109 SIGINT during /compact: cancelled, exit 130, the call aborted, history unchanged", async () => {
    const { place, server, summaries, mains } = await stage(() => text("answer"), { summary: () => hang() });
    const id = await threePrompts(place);
    const child = start(place, ["--resume", id, "-p", "/compact"]);
    await server.waitFor(4);
    child.kill("SIGINT");
    const done = await child.done;
    expect(done.code, done.stderr).toBe(130);
    expect(summaries().map((r) => r.aborted)).toEqual([true]);
    const [ended] = only(logOf(place, id), "session.compaction_complete");
    expect(ended?.data).toMatchObject({ success: false, outcome: "cancelled" });
    await run(place, ["--resume", id, "-p", "next"]);
    expect(messagesOf(mains().at(-1)).map((m) => m.role)).toEqual([
      ..."system user assistant user assistant user assistant user".split(" "),
    ]);
  });

  it("C33 C70 a message during /compact waits for it; /compact takes the place of a background attempt", async () => {
    const { place, mains, summaries } = await stage(() => text("answer"), {
      summary: (_r, n) => (n === 0 ? hang() : text(SUMMARY, { delayMs: 150 })),
    });
    const { client, events, say } = await converse(place);
    for (const n of [1, 2, 3]) await say(prose(5_300, `part-${n}`));
    expect(summaries()).toHaveLength(1);
    const compacting = client.history.compact("");
    await client.send("sent meanwhile");
    expect((await compacting).ok).toBe(true);
    await client.untilIdle();
    const [background, manual] = only(events, "session.compaction_complete");
    expect(background?.data).toMatchObject({ trigger: "threshold", outcomeReason: "superseded" });
    expect(manual?.data).toMatchObject({ trigger: "manual", outcome: "applied" });
    expect(summaries().map((r) => r.aborted)).toEqual([true, false]);
    const sent = messagesOf(mains().at(-1)).map(textOf);
    expect(sent.slice(1)).toEqual([manual?.data.replacementContent, "sent meanwhile"]);
  });

  it("C86 A3.9 the offline model fills the same parts by extraction, without a call", async () => {
    const { place, server } = await stage(() => text("never"), {
      env: { EVERLONG_MODEL: "offline", EVERLONG_BASE_URL: "" },
    });
    const { client, say, events } = await converse(place);
    await say("We decided that the port is 4747.");
    await say("Which port was it?");
    expect((await client.history.compact("")).ok).toBe(true);
    const [done] = only(events, "session.compaction_complete");
    expect(done?.data).toMatchObject({ outcome: "applied", model: "offline", chunks: 0 });
    expect(done?.data.replacementContent).toContain("4747");
    for (const part of ["overview", "history", "next_steps"]) expect(done?.data.summaryContent).toContain(`<${part}>`);
    expect(server.requests).toEqual([]);
  });

  it.each([
    ["../../x", "001-x.md"],
    [`${"very long title ".repeat(32)}`, /^001-very-long-title[a-z-]{1,40}\.md$/],
    ["🎉🎉🎉", "001-checkpoint.md"],
  ])("CB22 C123 a title %j makes a safe name inside checkpoints/", async (title, name) => {
    const summary = SUMMARY.replace("Parser work", title);
    const { place } = await stage(() => text("answer"), { summary: () => text(summary) });
    const id = await threePrompts(place);
    const { client, close } = await converse(place, { resume: id });
    expect((await client.history.compact("")).ok).toBe(true);
    await close();
    const files = readdirSync(join(place.home, "sessions", id, "checkpoints")).sort();
    expect(files).toEqual([expect.stringMatching(name), "index.md"]);
    expect(files[0]?.length).toBeLessThanOrEqual("001-.md".length + 48);
  });
});
