// Questions that decide: no key typed before they were seen decides them, each gets one answer, feedback reaches the model.
import { describe, expect, it } from "vitest";
import { bash, scene, toolResults, userTexts } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { openScreen } from "./screen.ts";

const ask = (command: string) => calls([bash(command)]);

describe("a permission question", () => {
  it("F40 F41 FB4 FI4 keys typed as it appears go to the draft; later 1 decides, and the draft is intact", async () => {
    let release = () => {};
    const typed = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { server, place } = await scene(async (_request, index) => {
      if (index > 0) return text("all done");
      await typed;
      return ask("touch made.txt");
    });
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("go\r");
    await server.waitFor(1, 20_000);
    const keys = setInterval(() => screen.type("1"), 60);
    release();
    await screen.see("main agent: run this command?");
    await screen.see("touch made.txt");
    await new Promise((resolve) => setTimeout(resolve, 700));
    clearInterval(keys);
    expect(screen.text()).toContain("main agent: run this command?");
    expect(server.requests).toHaveLength(1);
    await screen.see(/❯ 1{5,}/);
    const draft = /❯ (1+)/.exec(screen.text())?.[1];
    screen.press("enter"); // nothing is highlighted
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(server.requests.length).toBe(1);
    screen.type("1");
    await screen.see("all done");
    expect(screen.text()).not.toContain("run this command?");
    expect(toolResults(server.requests[1])).toHaveLength(1);
    expect(draft).toMatch(/^1+$/);
  });

  it("F40 F43 5 asks what to do instead in the editor; the words reach the model, the draft comes back", async () => {
    const { server, place } = await scene([ask("touch a.txt"), text("understood")]);
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("go\r");
    await screen.see("5. Reject, and say what to do instead");
    await new Promise((resolve) => setTimeout(resolve, 500));
    screen.type("x"); // armed: another key is the draft's
    await screen.see("❯ x");
    await new Promise((resolve) => setTimeout(resolve, 500));
    screen.type("5");
    await screen.see("Say what to do instead");
    await screen.lose("❯ x");
    screen.type('use b.txt, "please"');
    await screen.see("use b.txt");
    screen.press("enter");
    await screen.see("understood");
    expect(toolResults(server.requests[1])[0]?.text).toContain('use b.txt, "please"');
    await screen.see("❯ x");
  });

  it("F41 F42 arrows and Enter decide; two questions wait in order; Esc rejects", async () => {
    const { server, place } = await scene([calls([bash("touch a.txt"), bash("touch b.txt")]), text("seen both")]);
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("go\r");
    await screen.see("touch a.txt");
    await new Promise((resolve) => setTimeout(resolve, 500));
    screen.press("down");
    await screen.see("> 1. Once");
    screen.press("enter");
    await screen.see("touch b.txt");
    await new Promise((resolve) => setTimeout(resolve, 500));
    screen.press("escape");
    await screen.see("seen both");
    const [first = "", second = ""] = toolResults(server.requests[1]).map((result) => result.text);
    expect(first).not.toMatch(/reject|denied/i);
    expect(second).toMatch(/reject|denied/i);
  });
});

describe("other questions", () => {
  it("F48 ask_user: numbered choices, an answer of one's own, Esc declines", async () => {
    const question = { question: "Which port?", choices: ["8080", "9090"], allow_freeform: true };
    const asked = calls([{ name: "ask_user", args: question }]);
    const { server, place } = await scene([asked, asked, asked, text("thanks")]);
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("go\r");
    await screen.see("Which port?");
    await new Promise((resolve) => setTimeout(resolve, 500));
    screen.type("2");
    await expect.poll(() => server.requests.length).toBe(2);
    await screen.see("3. Write an answer");
    await new Promise((resolve) => setTimeout(resolve, 500));
    screen.type("3");
    await screen.see("Write your answer");
    screen.type("7000\r");
    await expect.poll(() => server.requests.length).toBe(3);
    await screen.see("3. Write an answer");
    await new Promise((resolve) => setTimeout(resolve, 500));
    screen.press("escape");
    await screen.see("thanks");
    const answers = toolResults(server.requests[3]).map((result) => result.text);
    expect(answers[0]).toContain("9090");
    expect(answers[1]).toContain("7000");
    expect(answers[2]).toMatch(/declin|did not answer|no answer/i);
    expect(userTexts(server.requests[3]).at(-1)).toContain("go");
  });
});
