// GC3, GC4: a person is asked before anything leaves for a Graphiti server, once, and their answer is kept.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTerminal } from "../agent/terminal.ts";
import type { Place } from "../tool/everlong.ts";
import { startGraphiti } from "./server.ts";
import { stage } from "./stage.ts";

const recordOf = (place: Place, endpoint: string) =>
  (
    JSON.parse(readFileSync(join(place.home, "consent.json"), "utf8")) as {
      graphiti?: Record<string, Record<string, unknown>>;
    }
  ).graphiti?.[place.folder]?.[endpoint];

async function answer(place: Place, choice: string, expected: string): Promise<string> {
  const terminal = openTerminal(place, ["consent", "ask"]);
  await terminal.see("Your choice: ");
  terminal.type(choice);
  await terminal.see(expected);
  expect(await terminal.exit).toBe(0);
  return terminal.screen();
}

/** The switch stands in the user's own settings, not in the environment. */
async function switchedOn(options: Parameters<typeof stage>[0] = {}) {
  const scene = await stage({ consent: false, ...options });
  delete scene.place.env["EVERLONG_GRAPHITI_ENABLED"];
  await scene.say("settings", "set", "memory.graphiti.enabled", "true");
  return scene;
}

describe("GC3 the question of consent", () => {
  it("GC3 it names the endpoint, what is sent and what is not, and how to revoke; allowing writes the record", async () => {
    const { place, graphiti, turn } = await stage({
      consent: false,
      env: { EVERLONG_GRAPHITI_INCLUDE_GIT_METADATA: "1" },
    });
    const screen = await answer(place, "1", "may now receive text");
    for (const words of [
      `wants to send text from ${place.folder} to ${graphiti.url}`,
      "what you write; what the agent answers; what you promote; branch, commit",
      "Not sent: secrets",
      `everlong consent revoke ${graphiti.url}`,
    ])
      expect(screen.replace(/\n/g, "")).toContain(words);
    expect(recordOf(place, graphiti.url)).toEqual({
      version: 1,
      workspace: place.folder,
      endpoint: graphiti.url,
      sends: ["user_messages", "assistant_messages", "promotions", "git_metadata"],
      consentedAt: expect.stringMatching(/^20\d\d-/),
    });
    expect(graphiti.connections()).toBe(0);
    await turn("hello there");
    expect(graphiti.names()).toHaveLength(4);
  });

  it("GC3 RB20 a wider sending and another endpoint ask again, and nothing goes out before the answer", async () => {
    const { place, graphiti, say, turn } = await stage();
    await turn("first");
    const before = graphiti.connections();
    place.env["EVERLONG_GRAPHITI_INCLUDE_SYSTEM_MESSAGES"] = "1";
    expect((await turn("second")).stderr).toContain("consent_missing");
    expect(graphiti.connections()).toBe(before);
    expect((await say("consent", "ask")).stdout).toContain("who owns this folder's memory");
    delete place.env["EVERLONG_GRAPHITI_INCLUDE_SYSTEM_MESSAGES"];
    const other = await startGraphiti();
    place.env["EVERLONG_GRAPHITI_ENDPOINT"] = other.url;
    const asked = await say("consent", "ask");
    expect([asked.code, asked.stdout]).toEqual([1, expect.stringContaining(`to ${other.url}.`)]);
    await turn("third");
    expect(other.connections()).toBe(0);
  });

  it("GC3 an untrusted folder is not asked, and an agent's shell cannot answer", async () => {
    const { say, graphiti, place } = await stage({ trust: false, consent: false });
    expect((await say("consent", "ask")).stdout).toContain("Nothing here needs your consent.");
    await say("trust");
    place.env["EVERLONG_TOOL_SHELL"] = "1";
    for (const verb of ["grant", "decline"]) expect((await say("consent", verb, graphiti.url)).code, verb).not.toBe(0);
    delete place.env["EVERLONG_TOOL_SHELL"];
    expect((await say("graph", "status")).stdout).toContain("Graphiti server: no_consent");
  });
});

describe("GC4 declining", () => {
  it("GC4 never switches the setting off where it was set; switching it on again asks again", async () => {
    const { place, graphiti, say, turn } = await switchedOn();
    await answer(place, "3", "memory.graphiti.enabled is now false");
    expect((await say("graph", "status")).stdout).toContain("Graphiti server: off");
    expect((await turn("hello there")).stderr).not.toContain("consent");
    expect((await say("consent", "ask")).stdout).toContain("Nothing here needs your consent");
    await say("settings", "set", "memory.graphiti.enabled", "true");
    expect((await say("consent", "ask")).code).toBe(1);
    expect(graphiti.connections()).toBe(0);
  });

  it("GC4 set by the environment, declined is stored for this folder and endpoint; another endpoint asks again", async () => {
    const { place, graphiti, say, turn } = await stage({ consent: false });
    await answer(place, "3", "you are not asked again");
    expect(recordOf(place, graphiti.url)).toMatchObject({ endpoint: graphiti.url, declinedAt: expect.any(String) });
    expect((await say("graph", "status")).stdout).toContain("Graphiti server: declined");
    expect((await say("consent", "ask")).stdout).toContain("Nothing here needs your consent");
    expect((await turn("hello there")).stderr).not.toContain("consent");
    expect((await say("consent")).stdout).toContain(`${graphiti.url}  declined in ${place.folder}`);
    place.env["EVERLONG_GRAPHITI_ENDPOINT"] = `${graphiti.url}/other`;
    expect((await say("consent", "ask")).code).toBe(1);
    place.env["EVERLONG_GRAPHITI_ENDPOINT"] = graphiti.url;
    expect(graphiti.connections()).toBe(0);
    await say("consent", "grant", graphiti.url);
    await turn("now it may");
    expect(graphiti.names().length).toBeGreaterThan(0);
  });

  it("GC4 never in one folder takes nothing from another that has agreed", async () => {
    const { place, graphiti, say } = await switchedOn();
    const path = join(place.home, "consent.json");
    const sends = ["user_messages", "assistant_messages", "promotions"];
    const agreed = { version: 1, workspace: "/elsewhere", endpoint: graphiti.url, sends, consentedAt: "2026-01-01" };
    writeFileSync(
      path,
      JSON.stringify({ version: 1, folders: {}, graphiti: { "/elsewhere": { [graphiti.url]: agreed } } }),
    );
    expect((await say("consent", "decline", graphiti.url)).stdout).toContain("you are not asked again");
    expect((await say("settings", "get", "memory.graphiti.enabled")).stdout.trim()).toBe("true");
    expect((await say("graph", "status")).stdout).toContain("Graphiti server: declined");
  });

  it("GC3 GC4 a session in the terminal asks before it begins; not now changes nothing, and the next one asks again", async () => {
    const { place, graphiti } = await stage({ consent: false });
    for (const _ of [1, 2]) {
      const terminal = openTerminal(place);
      await terminal.see(`to ${graphiti.url}.`);
      terminal.type("2");
      await terminal.see("asked again");
      terminal.type("/exit");
      await terminal.exit;
    }
    expect(graphiti.connections()).toBe(0);
  });
});
