// Plain mode: only appended, labelled lines; numbered answers; the same decisions.
import { describe, expect, it } from "vitest";
import { bash, scene, toolResults, userTexts } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { openScreen } from "./screen.ts";

const TABLE = "| name | value |\n|---|---|\n| port | 8080 |\n";

describe("plain mode", () => {
  it("FE8 F65 F66 FI11 --plain with LANG=C and TERM=dumb: labelled lines, a numbered question, no control sequence", async () => {
    const { server, place } = await scene([calls([bash("touch made.txt")], { text: "Let me look." }), text(TABLE)]);
    const screen = openScreen(place, { args: ["--plain"], env: { TERM: "dumb", LANG: "C", NO_COLOR: "1" } });
    await screen.see("Type a message");
    expect(screen.all()[0]).toBe("Plain mode is on (--plain).");
    screen.type("go\r");
    await screen.see("permission: Permission needed (shell), asked by main agent:");
    await screen.see("Your choice:");
    screen.type("5\r");
    await screen.see("What should it do instead?");
    screen.type("use the other file\r");
    await screen.see("value: 8080");
    const shown = screen.all().join("\n");
    expect(shown).toMatch(/everlong:\n\s+Let me look\./);
    expect(shown).toMatch(/name: port\n\s+value: 8080/);
    expect(shown).not.toMatch(/[│┌─⠋❯]/);
    expect(toolResults(server.requests[1])[0]?.text).toContain("use the other file");
    screen.type("/exit\r");
    expect(await screen.exit).toBe(0);
    expect(screen.all().join("\n")).toMatch(/Resume with: everlong --resume/);
    expect(screen.raw()).not.toMatch(/\u001b\[\d*[A-HJKf]|\u001b\[\?/);
  });

  it("F65 TERM=dumb alone turns it on and is named; a line begun before a question does not answer it", async () => {
    let release = () => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { server, place } = await scene(async (_request, index) => {
      if (index > 0) return text(`answer ${index}`);
      await hold;
      return calls([bash("touch made.txt")]);
    });
    const screen = openScreen(place, { env: { TERM: "dumb" } });
    await screen.see("Plain mode is on (TERM=dumb).");
    await screen.see("Type a message");
    screen.type("go\r");
    await server.waitFor(1, 20_000);
    screen.type("1");
    await new Promise((resolve) => setTimeout(resolve, 200));
    release();
    await screen.see("Permission needed");
    screen.type("\r"); // ends the line that was begun before
    await screen.see(/Your choice: 1\n+Your choice: $/);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(server.requests).toHaveLength(1);
    screen.type("4\r");
    await screen.see("answer 1");
  });

  it("F65 FI11 the prompt stands once, when it is their turn; what is typed meanwhile and Backspace work without control sequences", async () => {
    const answer = "one\n\ntwo\n\nthree\n\n- four\n- five\n";
    const { server, place } = await scene([text(answer, { chunk: 3 }), text("second answer")]);
    const screen = openScreen(place, { env: { TERM: "dumb" } });
    await screen.see(/leaves\.\n> $/);
    screen.type("gox\u007f\r");
    await screen.see(/five\n> $/);
    const shown = screen.text();
    expect(shown.slice(shown.indexOf("everlong:"))).toBe(
      "everlong:\n  one\n\n  two\n\n  three\n\n  - four\n  - five\n> ",
    );
    screen.type("wrong\u0015right\r");
    await screen.see(/second answer\n> $/);
    expect(server.requests.map((request) => userTexts(request).at(-1))).toEqual(["go", "right"]);
  });

  it("F35 F65 !command runs, is shown, and the prompt is back; Ctrl+C ends it", async () => {
    const { server, place } = await scene([text("read it")]);
    const screen = openScreen(place, { args: ["--plain"] });
    await screen.see(/leaves\.\n> $/);
    screen.type("!echo from-the-shell\r");
    await screen.see(/shell: echo from-the-shell\n {2}from-the-shell\n> $/);
    screen.type("!echo begun; sleep 60\r");
    // Nothing is printed before its end: the command is asked to end as soon as it can hear that.
    await new Promise((resolve) => setTimeout(resolve, 500));
    screen.press("ctrl+c");
    await screen.see(/\(stopped\)\n> $/);
    screen.type("go\r");
    await screen.see(/read it\n> $/);
    expect(userTexts(server.requests[0]).join("\n")).toContain("The user ran: echo from-the-shell");
  });
});

describe("a small window", () => {
  it("F40 at 40x10 a question still shows the command and every choice", async () => {
    const { place } = await scene([calls([bash("touch made.txt")]), text("ok")]);
    const screen = openScreen(place, { columns: 40, rows: 10 });
    await screen.see("interactive");
    screen.type("go\r");
    await screen.see("main agent: run this command?");
    for (const words of ["touch made.txt", "1. Once", "4. Reject", "5. Reject, and say what to do instead"])
      expect(screen.text()).toContain(words);
  });
});
