// The question about a memory: what is shown of it, that edited words are those that are kept, and what becomes of an older one.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { gitInit, oneCall, scene, toolResults } from "../agent/scene.ts";
import { add, list } from "../memory/hand-stage.ts";
import { type Reply, text } from "../model-server/reply.ts";
import { openScreen, type Screen } from "./screen.ts";

/** A question takes no key before 400 ms without one. */
const armed = () => wait(600);
const store = (fact: string, more: object = {}): Reply =>
  oneCall("store_memory", { subject: "build", fact, citations: ["README.md:1"], reason: "it fails else", ...more });

async function stage(script: Reply[]) {
  const { server, place } = await scene(script.flatMap((reply, at) => [reply, text(`ended ${at}`)]));
  gitInit(place);
  writeFileSync(join(place.folder, "README.md"), "# Build\n");
  const open = async (): Promise<Screen> => {
    const screen = openScreen(place, { columns: 110, rows: 36 });
    await screen.see("? keys");
    return screen;
  };
  return { server, place, open };
}

describe("the memory prompt", () => {
  it("FE4 F44 M64 both citations with their state, edited words are stored, a vote shows direction and reason, secrets never", async () => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(3)}F6g7h8`;
    const { server, place, open } = await stage([
      store("The build needs Node 22.", { citations: ["README.md:1", "src/gone.ts:7"] }),
      oneCall("vote_memory", { fact: "The build needs Node 24.", direction: "downvote", reason: "CI says 26" }),
      store(`Deploys use the token ${secret} from the vault.`, { subject: "deploys" }),
      store(secret, { subject: "token" }),
    ]);
    const screen = await open();
    screen.type("go\r");
    await screen.see("main agent: remember this?");
    for (const words of [
      "Store a memory, for this repository",
      "Fact: The build needs Node 22.",
      "Cited: README.md:1 (it is there)",
      "Cited: src/gone.ts:7 (stale: it is not there)",
      "Reason: it fails else",
      "Comes from: the agent's own words",
      "e edits the fact",
    ])
      expect(screen.text()).toContain(words);
    await armed();
    screen.type("e");
    await screen.see("Change the fact, then Enter");
    await screen.see("❯ The build needs Node 22.");
    screen.press("backspace", "backspace");
    screen.type("4.\r");
    await screen.reach("ended 0");
    expect(await list(place)).toMatchObject([
      { fact: "The build needs Node 24.", source: { origins: [{ kind: "user" }] }, status: { type: "active" } },
    ]);
    screen.type("vote\r");
    await screen.see("Vote a memory down");
    expect(screen.text()).toContain("Fact: The build needs Node 24.");
    expect(screen.text()).toContain("Reason: CI says 26");
    expect(screen.text()).not.toContain("e edits the fact");
    await armed();
    screen.type("1");
    await screen.reach("ended 1");
    screen.type("more\r");
    await screen.see("Fact: Deploys use the token");
    await armed();
    screen.type("1");
    await screen.reach("ended 2");
    screen.type("last\r");
    await screen.reach("ended 3");
    expect(toolResults(server.requests[7]).at(-1)?.text).toContain("memory_secret");
    await screen.reach("memory_secret");
    const rows = await list(place);
    expect(rows).toHaveLength(2);
    expect(rows.find(({ fact }) => fact.startsWith("Deploys"))?.fact).toMatch(/\[.*(redacted|REDACTED|secret).*\]/i);
    expect(screen.all().join("")).not.toContain(secret);
  });

  it("F44 M56 a contradiction is listed; 2 replaces the old one, which is kept as superseded; 1 keeps both", async () => {
    const { server, place, open } = await stage([store("The build needs Node 26."), store("The build needs Node 28.")]);
    await add(place, "The build needs Node 24.");
    const screen = await open();
    screen.type("go\r");
    await screen.see(/Similar \(contradiction of mem_\w+\): The build needs Node 24\./);
    await screen.see("1. Keep both");
    await screen.see("2. Replace the old one: The build needs Node 24.");
    expect(screen.text()).not.toMatch(/This session|not offered here/);
    await armed();
    screen.type("2");
    await screen.reach("ended 0");
    const states = async () => Object.fromEntries((await list(place)).map(({ fact, status }) => [fact, status.type]));
    expect(await states()).toEqual({ "The build needs Node 24.": "superseded", "The build needs Node 26.": "active" });
    expect(toolResults(server.requests[1])[0]?.text).toMatch(/Stored as .*Similar: contradiction of mem_/);
    screen.type("more\r");
    await screen.see("2. Replace the old one: The build needs Node 26.");
    await armed();
    screen.type("1");
    await screen.reach("ended 1");
    expect(await states()).toMatchObject({
      "The build needs Node 26.": "active",
      "The build needs Node 28.": "active",
    });
  });
});
