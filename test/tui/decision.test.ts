// Consent, leaving a plan, autopilot, the bell and the title, and the hint under the editor about lines that are kept.
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { oneCall, scene } from "../agent/scene.ts";
import { gate } from "../context/stage.ts";
import { stage } from "../graphiti-client/stage.ts";
import { text } from "../model-server/reply.ts";
import { openScreen } from "./screen.ts";

const armed = () => wait(600);
const size = { columns: 100, rows: 30 };
const BELL = /(?<!\u001b\][^\u0007\u001b]*)\u0007/;

describe("consent in the terminal", () => {
  it("F46 endpoint, what is sent and what not, how to revoke; Esc is not now, and the next start asks again; 1 allows", async () => {
    const { place, graphiti } = await stage({ consent: false });
    const first = openScreen(place, size);
    await first.see("May text be sent?");
    await first.see(graphiti.url);
    for (const words of ["Sent: what you write; what the agent answers", "Not sent:", "everlong consent revoke"])
      expect(first.text().replace(/\s+/g, " ")).toContain(words);
    await armed();
    first.press("escape");
    await first.lose("May text be sent?");
    first.press("ctrl+d");
    expect(await first.exit).toBe(0);
    expect(graphiti.connections()).toBe(0);
    const second = openScreen(place, size);
    await second.see("1. allow, for this folder and address");
    await armed();
    second.type("1");
    await second.reach("may now receive text");
    await second.see("· session ");
    second.press("ctrl+d");
    await second.exit;
    const third = openScreen(place, size);
    await third.see("· session ");
    expect(third.all().join("\n")).not.toContain("May text be sent?");
  });
});

describe("plan and autopilot", () => {
  it("F49 the plan's four ways on; autopilot says once what it does not do, and the status counts its continuations", async () => {
    const held = gate();
    const { place } = await scene(async (_request, index) => {
      if (index === 0) return oneCall("exit_plan_mode", { summary: "read, then write" });
      if (index === 3) await held.opened;
      return index < 4 ? text(`part ${index}`) : oneCall("task_complete", { summary: "all of it", success: true });
    });
    const screen = openScreen(place, { ...size, args: ["--max-continuations", "5"] });
    await screen.see("? keys");
    screen.type("/plan build it\r");
    await screen.see("The plan is ready");
    for (const words of [
      "Go on, asking as usual",
      "Go on with autopilot",
      "autopilot and a fleet",
      "Leave plan mode only",
    ])
      expect(screen.text()).toContain(words);
    const number = /(\d)\. Go on with autopilot(?! and)/.exec(screen.text())?.[1] ?? "";
    await armed();
    screen.type(number);
    await screen.reach(/Autopilot approves nothing for you: [\s\S]* at most 5 times\s+per message/);
    await screen.see("autopilot 2/5");
    held.open();
    await screen.reach("all of it");
    await screen.see("? keys");
    screen.press("shift+tab");
    await screen.see(/^interactive ·/m);
    screen.press("shift+tab", "shift+tab");
    await screen.see(/^autopilot 0\/5 ·/m);
    expect(screen.all().join("\n").split("approves nothing for you")).toHaveLength(2);
  });
});

describe("bell and title", () => {
  it("F50 a question rings once; the title says the intent and is put back at the end; bell off rings never", async () => {
    const script = () => [
      oneCall("report_intent", { intent: "Counting sheep" }),
      oneCall("ask_user", { question: "Which port?", choices: ["8080"], allow_freeform: false }),
      text("thanks"),
    ];
    const { place } = await scene([...script(), ...script()]);
    const screen = openScreen(place, size);
    await screen.see("? keys");
    expect(screen.raw()).not.toMatch(BELL);
    screen.type("go\r");
    await screen.see("Which port?");
    await expect.poll(() => screen.raw().match(new RegExp(BELL, "g"))?.length).toBe(1);
    expect(screen.raw()).toContain("\u001b]2;everlong: Counting sheep\u0007");
    await armed();
    screen.type("1");
    await screen.reach("thanks");
    screen.press("ctrl+d");
    await screen.exit;
    expect(screen.raw().lastIndexOf("\u001b[23;2t")).toBeGreaterThan(screen.raw().lastIndexOf("\u001b]2;"));
    const off = openScreen(place, { ...size, env: { EVERLONG_BELL: "off", EVERLONG_TITLE: "false" } });
    await off.see("? keys");
    off.type("go\r");
    await off.see("Which port?");
    await off.quiet();
    expect(off.raw()).not.toMatch(BELL);
    expect(off.raw()).not.toContain("\u001b]2;");
  });
});

describe("the hint under the editor", () => {
  it("F37 a line that will be kept says so and where; one in a quotation does not, nor with auto-promotion off", async () => {
    const { place } = await scene(() => text("fine"));
    const screen = openScreen(place, { ...size, env: { EVERLONG_GRAPHITI_AUTO_PROMOTE_ENABLED: "true" } });
    await screen.see("? keys");
    screen.type("decision: we use Postgres");
    await screen.see("will be promoted to workspace");
    screen.press("ctrl+c");
    await screen.lose("will be promoted");
    screen.type("`decision: we use Postgres`");
    await screen.see("Postgres`");
    expect(screen.text()).not.toContain("will be promoted");
    // In a folder of its own: the draft of the first is saved for the folder, and would stand here too.
    const { place: other } = await scene(() => text("fine"));
    const off = openScreen(other, { ...size, env: { EVERLONG_GRAPHITI_AUTO_PROMOTE_ENABLED: "false" } });
    await off.see("? keys");
    off.type("decision: we use Postgres");
    await off.see("❯ decision: we use Postgres");
    expect(off.text()).not.toContain("will be promoted");
  });
});
