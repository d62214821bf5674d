// RE13 with a Graphiti server: a promotion is one system message to the group of its scope, and an undo says what the server keeps.
import { describe, expect, it } from "vitest";
import { stage } from "./stage.ts";

describe("RE13 promotions to a server", () => {
  it("GC28 GC29 RE13 one message with its block, name and description, delivered with the next session", async () => {
    const { graphiti, say, turn } = await stage();
    expect(
      await say("promote", "--scope", "user", "--kind", "decision", "We use </graphiti_episode> Postgres"),
    ).toMatchObject({ code: 0 });
    expect((await say("graph", "promotions")).stdout).toContain("user decision, queued: We use");
    await turn("Hello there.");
    const posts = graphiti.calls.filter(({ path }) => path === "/messages");
    const promoted = posts.filter(({ body }) => String(body["group_id"]).startsWith("graphiti_user_"));
    expect(promoted.map(({ body }) => body["messages"])).toEqual([
      [
        {
          content: expect.stringMatching(
            /^<graphiti_episode kind="decision">\nsource: everlong\nscope: user\ntimestamp: \S+\ncontent:\nWe use &lt;\/graphiti_episode> Postgres\n<\/graphiti_episode>$/,
          ),
          name: expect.stringMatching(/^everlong\.promotion\./),
          role_type: "system",
          role: "everlong",
          timestamp: expect.stringMatching(/^20\d\d-.+Z$/),
          source_description: "everlong:promotion:user:decision",
        },
      ],
    ]);
    const undone = await say("graph", "undo");
    expect([undone.code, undone.stdout]).toEqual([1, expect.stringContaining("The Graphiti server has it already")]);
  });

  it("GC36 RI12 one that has not left is taken out of the queue; without consent none is queued", async () => {
    const { graphiti, say, turn } = await stage();
    await say("promote", "--kind", "decision", "We use Postgres");
    expect((await say("graph", "undo")).code).toBe(0);
    await say("consent", "revoke", graphiti.url);
    await say("promote", "--kind", "decision", "We use Redis");
    expect((await say("graph", "promotions")).stdout).toMatch(/workspace decision, stored: We use Redis/);
    await say("consent", "grant", graphiti.url);
    await turn("Hello there.");
    expect(JSON.stringify(graphiti.calls)).not.toMatch(/Postgres|Redis/);
  });
});
