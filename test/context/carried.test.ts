// CE8 CE9: what outlives a compaction: prompts, plan and todos in its message; every word of the old turns by recall.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { messagesOf, textOf, toolResults } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, run, sessionsOf } from "../tool/everlong.ts";
import { converse, DETAILS, prose, recalled, SUMMARY, stage } from "./stage.ts";

const TODOS = `INSERT INTO todos (id, title, description, status) VALUES
  ('lex', 'Write the lexer', 'with spans', 'done'),
  ('parse', 'Write the parser', 'recursive descent', 'in_progress'),
  ('docs', 'Write the docs', '', 'pending')`;
const PLAN = "# Plan\n\n1. PLAN-LINE-ONE lexer\n2. PLAN-LINE-TWO parser\n";

const partOf = (message: string, tag: string): string =>
  new RegExp(`<${tag}>\n([\\s\\S]*?)\n</${tag}>`).exec(message)?.[1] ?? "";

describe("CE8 state carried over", () => {
  it.each([14_000, 24_000, 200_000])(
    "CE8 C91 C93 C95 C97 C99 N36 limit %i: plan, todos and prompts in every compaction message, within T",
    async (limit) => {
      const { place } = await stage(
        (_r, n) => (n === 0 ? calls([{ name: "sql", args: { query: TODOS } }]) : text(`answer ${n}`)),
        {
          limit,
          env: { EVERLONG_COMPACTION_KEEP_RECENT: "0" },
          summary: () => text(SUMMARY.replace(DETAILS, DETAILS.repeat(limit / 14_000))),
        },
      );
      const { say, client, events } = await converse(place);
      await say("FIRST-PROMPT plan the work");
      writeFileSync(join(place.home, "sessions", client.sessionId, "plan.md"), PLAN);
      for (let round = 1; round <= 3; round++) {
        for (let n = 1; n <= 4; n++) await say(prose(0.12 * limit, `long-${round}-${n}`));
        if (only(events, "session.compaction_complete").length < round) await client.history.compact("");
        const compactions = only(events, "session.compaction_complete").map((e) => e.data);
        expect(compactions.at(-1)).toMatchObject({ outcome: "applied" });
        const {
          replacementContent: message = "",
          postCompactionTokens = 0,
          targetTokens = 0,
        } = compactions.at(-1) ?? {};
        expect(postCompactionTokens).toBeLessThanOrEqual(targetTokens);
        expect(partOf(message, "plan_file")).toBe(PLAN.trim());
        expect(partOf(message, "todo_list")).toBe(
          "- [pending] Write the docs [t1]\n- [in_progress] Write the parser: recursive descent [t1]\n1 finished",
        );
        expect(partOf(message, "conversation_summary")).toContain("The user builds a parser [t1].");
        const prompts = partOf(message, "original_prompts");
        expect(prompts).toContain("FIRST-PROMPT plan the work");
        expect(prompts).toMatch(/<user_prompt turn="t\d+">\nlong-\d-\d line 1:/);
        expect(message.match(/<conversation_summary>/g)).toHaveLength(1);
        expect(message.match(/<compaction_notice>/g)).toHaveLength(1);
      }
    },
  );

  it("CE8 C93 through the program: what the model did and the user said stands in the next request", async () => {
    const { place, mains } = await stage((_r, n) =>
      n === 0 ? calls([{ name: "sql", args: { query: TODOS } }]) : text("ok"),
    );
    await run(place, ["-p", "plan the work"]);
    const [id = ""] = sessionsOf(place);
    writeFileSync(join(place.home, "sessions", id, "plan.md"), PLAN);
    expect((await run(place, ["--resume", id, "-p", "/compact"])).code).toBe(0);
    await run(place, ["--resume", id, "-p", "go on"]);
    const message = textOf(messagesOf(mains().at(-1))[1]);
    const tags = [...message.matchAll(/^<(\w+)(?: [^>]*)?>$/gm)].map((m) => m[1]);
    expect(
      tags.filter((t) => !/user_prompt|overview|history|work_done|technical|important|next/.test(t ?? "")),
    ).toEqual(["compaction_notice", "original_prompts", "conversation_summary", "plan_file", "todo_list"]);
    expect(message).toContain("PLAN-LINE-TWO");
    expect(message).toContain("[in_progress] Write the parser");
  });
});

describe("CE9 recall over compactions", () => {
  it("CE9 C116 C117 CI9 after two compactions the first turn comes back word for word, by command, slash and tool", async () => {
    const first = `The port is 4747 and the host is "böse-maus".\nLine two: <tag> & \`code\` 漢字 👩‍👩‍👧`;
    const { place, mains } = await stage((request, n) =>
      n === 4
        ? calls([
            { name: "recall", args: { id: "t1.1" } },
            { name: "recall", args: { query: "port 4747" } },
          ])
        : text(`answer ${n} to ${messagesOf(request).length}`),
    );
    const { say, client, close, events } = await converse(place);
    await say(first);
    await say("second");
    expect((await client.history.compact("")).ok).toBe(true);
    await say("third");
    expect((await client.history.compact("")).ok).toBe(true);
    await say("fourth");
    expect(only(events, "session.compaction_complete").map((e) => e.data.checkpointNumber)).toEqual([1, 2]);
    await say("fifth: what was the port?");
    const byId = toolResults(mains().at(-1)).map((r) => r.text);
    expect(byId[0]).toBe(`[t1.1]\n${first}`);
    expect(byId[1]).toContain("4747");
    // The message names a range of turns that recall takes as it stands.
    const notice = only(events, "session.compaction_complete").at(-1)?.data.replacementContent ?? "";
    const range = /call recall with id "(t1-t\d+)"/.exec(notice)?.[1] ?? "";
    const whole = await recalled(client, range);
    expect(whole.includes(first) && whole.includes("third")).toBe(true);
    await close();
    const printed = await run(place, ["recall", "t1.1"]);
    expect(printed.stdout).toBe(`${first}\n`);
    const found = await run(place, ["recall", "4747"]);
    expect(found.stdout).toContain("t1.1");
    const slash = await run(place, ["--resume", client.sessionId, "-p", "/recall t1.2"]);
    expect(slash.stdout).toContain("answer 0");
    expect(only(logOf(place), "user.message")[0]?.data.content).toBe(first);
    expect(SUMMARY).not.toContain("4747");
  });
});

describe("C96 pinned sections", () => {
  it("C96 what AGENTS.md pins ends every compaction message word for word, as the file says it at that moment", async () => {
    const { place } = await stage(() => text("answer"));
    const rules = (pin: string) => `# Rules\n\nUse tabs.\n<!-- pin -->\n${pin}\n<!-- /pin -->\nBe brief.\n`;
    writeFileSync(join(place.folder, "AGENTS.md"), rules("Never touch  billing/.\n\n- Ask before a release."));
    const talk = ["-p", prose(500, "part"), "--trust-folder"];
    expect((await run(place, talk)).code).toBe(0);
    const [id = ""] = sessionsOf(place);
    await run(place, ["--resume", id, "-p", "/compact", "--trust-folder"]);
    writeFileSync(join(place.folder, "AGENTS.md"), rules("Never touch payroll/."));
    await run(place, ["--resume", id, ...talk]);
    await run(place, ["--resume", id, "-p", "/compact", "--trust-folder"]);
    await run(place, ["--resume", id, ...talk]);
    // Without trust the folder's own file pins nothing.
    await run(place, ["--resume", id, "-p", "/compact"]);
    const messages = only(logOf(place, id), "session.compaction_complete").map((e) => e.data.replacementContent ?? "");
    expect(messages[0]).toMatch(/<pinned>\nNever touch {2}billing\/\.\n\n- Ask before a release\.\n<\/pinned>$/);
    expect(messages[1]).toMatch(/<pinned>\nNever touch payroll\/\.\n<\/pinned>$/);
    expect(messages[1]).not.toContain("billing");
    expect(messages[2]).toBeDefined();
    expect(messages[2]).not.toContain("<pinned>");
  });
});
