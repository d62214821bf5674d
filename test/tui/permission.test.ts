// Permission under typing: two agents ask while a person writes; the same decisions on the screen and in plain lines.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { bash, messagesOf, textOf, toolResults } from "../agent/scene.ts";
import { gate } from "../context/stage.ts";
import { calls, text } from "../model-server/reply.ts";
import { cast, task, tasks } from "../orchestration/cast.ts";
import { logOf, only, type Place, run } from "../tool/everlong.ts";
import { openScreen } from "./screen.ts";

const FEEDBACK = 'write "notes/a.txt" instead, with 2 lines';
/** A question takes no key before 400 ms without one. */
const armed = () => wait(600);
const has = (place: Place, name: string): boolean => existsSync(join(place.folder, name));

/** Alpha and beta ask when they are let; in later sessions the main agent asks itself. */
async function twoAgents() {
  const typed = gate();
  const asking = (name: string) => async (_request: unknown, step: number) => {
    if (step > 0) return text(`${name} end`);
    await typed.opened;
    return calls([bash(`touch ${name}-file`)]);
  };
  const stage = await cast(
    (request, step) => {
      if (step === 0)
        return tasks(
          task("ALPHA", { name: "alpha", mode: "background" }),
          task("BETA", { name: "beta", mode: "background" }),
        );
      const last = textOf(messagesOf(request).findLast((message) => message.role !== "assistant"));
      const name = /(second|third) session/.exec(last)?.[1];
      if (name !== undefined) return calls([bash(`touch ${name}-file`)]);
      return text("main waits");
    },
    { ALPHA: asking("alpha"), BETA: asking("beta") },
  );
  await run(stage.place, ["trust"]);
  return { ...stage, typed };
}

const touched = (place: Place, word: string) => has(place, `${word}-file`);

/** What holds for both faces after alpha or beta was refused with words and the other was let for the folder. */
async function laterSessions({ place, of }: Awaited<ReturnType<typeof twoAgents>>, first: string, second: string) {
  await expect.poll(() => of(first.toUpperCase()).length).toBe(2);
  await expect.poll(() => of(second.toUpperCase()).length).toBe(2);
  expect(toolResults(of(first.toUpperCase())[1])[0]?.text).toContain(`They said: ${FEEDBACK}`);
  expect([touched(place, first), touched(place, second)]).toEqual([false, true]);
  expect((await run(place, ["-p", "second session"])).code).toBe(0);
  expect(has(place, "second-file")).toBe(true);
  expect((await run(place, ["-p", "third session", "--deny-tool", "shell(touch:*)"])).code).toBe(0);
  expect(has(place, "third-file")).toBe(false);
}

describe("permission under typing", () => {
  it("FE3 F40 F41 F42 F43 nothing typed decides, `1 of 2`, feedback word for word, a folder's approval holds, deny beats it", async () => {
    const stage = await twoAgents();
    const { place, typed, of } = stage;
    const screen = openScreen(place, { columns: 100, rows: 30 });
    await screen.see("? keys");
    screen.type("go\r");
    await expect.poll(() => of("ALPHA").length + of("BETA").length).toBe(2);
    await screen.reach("main waits");
    for (const key of "y 1 2") {
      screen.type(key);
      typed.open();
      await wait(80);
    }
    await screen.see("run this command?");
    await screen.see("1 of 2");
    await screen.see("❯ y 1 2");
    const first = /(alpha|beta)[^\n]*: run this/.exec(screen.text())?.[1] ?? "";
    const second = first === "alpha" ? "beta" : "alpha";
    await screen.see(`touch ${first}-file`);
    expect(screen.text()).not.toContain(`touch ${second}-file`);
    expect([touched(place, "alpha"), touched(place, "beta")]).toEqual([false, false]);
    expect(only(logOf(place), "permission.completed")).toEqual([]);
    await armed();
    screen.type("5");
    await screen.see("Say what to do instead");
    screen.type(`${FEEDBACK}\r`);
    await screen.see(`touch ${second}-file`);
    await screen.lose("1 of 2");
    await screen.see("❯ y 1 2");
    await screen.see("3. This folder, from now on: shell(touch:*)");
    await armed();
    screen.type("3");
    await screen.lose("run this command?");
    await screen.see("❯ y 1 2");
    await laterSessions(stage, first, second);
  });

  it("FE8 F65 FI11 the same in plain lines with LANG=C and TERM=dumb: only appended, the same decisions", async () => {
    const stage = await twoAgents();
    const { place, typed, of } = stage;
    const screen = openScreen(place, { args: ["--plain"], columns: 100, env: { TERM: "dumb", LANG: "C" } });
    await screen.see("Type a message");
    screen.type("go\r");
    await expect.poll(() => of("ALPHA").length + of("BETA").length).toBe(2);
    await screen.reach("main waits");
    screen.type("y 1 2");
    await wait(200);
    typed.open();
    await screen.reach("Permission needed (shell), asked by");
    await screen.reach("2 questions wait, one after another.");
    const first = /asked by \S*(alpha|beta)/.exec(screen.all().join("\n"))?.[1] ?? "";
    const second = first === "alpha" ? "beta" : "alpha";
    screen.type("\r"); // ends the line that was begun before the question
    await wait(300);
    expect(only(logOf(place), "permission.completed")).toEqual([]);
    screen.type("5\r");
    await screen.reach("What should it do instead?");
    screen.type(`${FEEDBACK}\r`);
    await screen.reach(`touch ${second}-file`);
    await screen.reach("3. this folder, from now on: shell(touch:*)");
    screen.type("3\r");
    await laterSessions(stage, first, second);
    expect(screen.raw()).not.toMatch(/\u001b\[\d*[A-HJKf]|\u001b\[\?/);
  });

  it("F42 a question whose agent was stopped is withdrawn and says so; the next one comes", async () => {
    const { place, typed, of } = await twoAgents();
    const screen = openScreen(place, { columns: 100, rows: 30 });
    await screen.see("? keys");
    screen.type("go\r");
    await expect.poll(() => of("ALPHA").length + of("BETA").length).toBe(2);
    await screen.reach("main waits");
    typed.open();
    await screen.see("1 of 2");
    const first = /(alpha|beta)[^\n]*: run this/.exec(screen.text())?.[1] ?? "";
    const second = first === "alpha" ? "beta" : "alpha";
    screen.type(`/tasks stop ${first}\r`);
    await screen.reach("The permission request was withdrawn");
    await screen.see(`touch ${second}-file`);
    await screen.lose("1 of 2");
    expect(touched(place, first)).toBe(false);
  });
});
