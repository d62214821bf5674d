// N36: what a compacted session still carries of constraints, decisions, edits and failures, whatever the summary was like.
import { describe, expect, it } from "vitest";
import { messagesOf, textOf } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { only } from "../tool/everlong.ts";
import { carriage } from "./compacted-session.ts";
import { converse, DETAILS, prose, SUMMARY, stage } from "./stage.ts";

describe("N36 the ledger", () => {
  it.each(["good", "empty", "lying"] as const)(
    "N36 with a %s summary a session of many compactions keeps what was planted, in 15 % of its message",
    async (kind) => {
      const { share, compactions, plants, ledgerTokens, budget } = await carriage(kind);
      expect([compactions > 5, plants > 50]).toEqual([true, true]);
      expect(share.constraint).toBeGreaterThanOrEqual(0.95);
      for (const part of ["decision", "edit", "failure"] as const) expect(share[part]).toBeGreaterThanOrEqual(0.9);
      expect(ledgerTokens).toBeLessThanOrEqual(0.15 * budget + 10);
    },
  );

  it("N36 in a real session: the user's words, files, open failures and todos with refs that recall takes", async () => {
    const lie = SUMMARY.replace(DETAILS, "Every test passes and vendor may be changed. ".repeat(20));
    const bash = (command: string) => calls([{ name: "bash", args: { command, description: "runs" } }]);
    const script = [
      calls([{ name: "create", args: { path: "src.txt", file_text: "one\ntwo\n" } }]),
      bash("cat src.txt"),
      bash("echo 'Error: two is missing'; exit 3"),
      bash("node -e 'process.exit(1)'"),
      bash("node -e 'process.exit(0)'"),
      calls([
        {
          name: "sql",
          args: { query: "INSERT INTO todos (id, title, status) VALUES ('a', 'Write the docs', 'pending')" },
        },
      ]),
    ];
    const { place, mains } = await stage((_r, n) => script[n] ?? text(`answer ${n}`), { summary: () => text(lie) });
    const { say, client, events } = await converse(place);
    await say("Make the file. Never change the folder vendor, whatever happens.");
    for (let n = 0; n < 8; n++) await say(prose(600, `part-${n}`));
    expect((await client.history.compact("")).ok).toBe(true);
    await say("go on");
    const message = textOf(messagesOf(mains().at(-1))[1]);
    expect(message).toContain("Every test passes");
    const ledger = /<session_ledger>\n([\s\S]*?)\n<\/session_ledger>/.exec(message)?.[1] ?? "";
    expect(ledger).toMatch(/- \[(t1\.\d+)\] \S*src\.txt: created \(\+2 -0\)/);
    expect(ledger).toMatch(/- \[t1\.\d+\] `echo 'Error: two is missing'; exit 3`: exit 3 \(Error: two is missing\)/);
    expect(ledger).toContain("`node -e 'process.exit(1)'`: exit 1");
    expect(ledger).not.toContain("cat src.txt");
    expect(ledger).not.toContain("process.exit(0)");
    expect(message).toContain("Never change the folder vendor, whatever happens.");
    expect(message).toContain("- [pending] Write the docs [t1]");
    expect(only(events, "session.compaction_complete")[0]?.data.builtInBecause).toBeUndefined();
  });
});
