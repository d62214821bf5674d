// RE10: nothing leaves for a Graphiti server without trust and consent, and what leaves is what was agreed to.
import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { onlySession } from "../agent/scene.ts";
import { stage } from "./stage.ts";

const groupOf = (scope: string, key: string) => `graphiti_${scope}_${hash("sha256", key).slice(0, 32)}`;

describe("RE10 consent", () => {
  it("RE10 GC9 GC10 GC7 RI12 RI13 after consent a turn is two messages to each group, named, timed, and without uuid", async () => {
    const { place, graphiti, turn } = await stage();
    const done = await turn("The port is 9090 now.");
    expect([done.code, done.stderr]).toEqual([0, expect.not.stringContaining("graphiti")]);
    const session = groupOf("session", `everlong_session:${onlySession(place)}`);
    const workspace = groupOf("workspace", new URL(`file://${place.folder}`).href);
    const posts = graphiti.calls.filter(({ path }) => path === "/messages");
    expect(posts.map(({ body }) => body["group_id"])).toEqual([session, workspace]);
    for (const { body } of posts)
      expect(body["messages"]).toEqual([
        {
          content: "The port is 9090 now.",
          name: expect.stringMatching(/^everlong\.turn\..+\.user$/),
          role_type: "user",
          role: "user",
          timestamp: expect.stringMatching(/^20\d\d-.+Z$/),
          source_description: "",
        },
        expect.objectContaining({ content: "It is done.", role_type: "assistant", role: "assistant" }),
      ]);
    expect(JSON.stringify(graphiti.calls)).not.toContain("uuid");
    expect(JSON.stringify(graphiti.calls)).not.toContain(place.folder);
  });

  it("RE10 GC1 F47 RI12 no connection without trust, without consent, when off, or to another endpoint", async () => {
    const { place, graphiti, say, turn } = await stage({ trust: false, consent: false });
    const untrusted = await turn("one");
    expect([untrusted.code, untrusted.stderr]).toEqual([0, expect.stringContaining("To trust it: everlong trust")]);
    await say("trust");
    const asked = await turn("two");
    expect([asked.code, asked.stderr]).toEqual([0, expect.stringContaining("consent_missing")]);
    expect(asked.stdout).toContain("It is done.");
    await say("consent", "grant", graphiti.url);
    place.env["EVERLONG_GRAPHITI_ENDPOINT"] = `${graphiti.url}/elsewhere`;
    await turn("three");
    place.env["EVERLONG_GRAPHITI_ENDPOINT"] = graphiti.url;
    place.env["EVERLONG_GRAPHITI_ENABLED"] = "0";
    await turn("four");
    expect(graphiti.connections()).toBe(0);
    place.env["EVERLONG_GRAPHITI_ENABLED"] = "1";
    await say("consent", "revoke", graphiti.url);
    await turn("five");
    expect(graphiti.connections()).toBe(0);
  });
});
