// The permission prompt in a real terminal: once, this session, this folder, reject with words; and what is asked whatever is allowed.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, type Reply, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run } from "../tool/everlong.ts";
import { bash, scene, toolResults } from "./scene.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

const has = (place: Place, name: string) => existsSync(join(place.folder, name));

/** Each prompt `touch NAME` makes the model run just that. */
const touching = (request: { body: unknown }): Reply => {
  const messages = (request.body as { messages: { role: string; content: string }[] }).messages;
  const last = messages.at(-1);
  return last?.role === "user"
    ? calls([bash(String(last.content))])
    : text(`ended: ${String(last?.content).slice(0, 60)}`);
};

async function at(place: Place, args: string[] = []): Promise<Terminal> {
  const terminal = openTerminal(place, args);
  await terminal.see("Type a message");
  return terminal;
}

async function answer(terminal: Terminal, choice: string): Promise<void> {
  await terminal.see("Permission needed");
  await terminal.see("Your choice:");
  terminal.type(choice);
}

async function leave(terminal: Terminal): Promise<void> {
  terminal.type("/exit");
  expect(await terminal.exit).toBe(0);
}

describe("A7.7 answers to a permission prompt", () => {
  it("A7.7 A7.9 once: the whole command is shown with the part in question marked; the same is asked again", async () => {
    const { place } = await scene(touching);
    const terminal = await at(place);
    terminal.type("ls && touch one");
    await terminal.see("ls && ⟦touch one⟧");
    await terminal.see("Your choice:");
    terminal.type("1");
    await terminal.see("ended:");
    expect(has(place, "one")).toBe(true);
    terminal.type("touch two");
    await answer(terminal, "4");
    await terminal.see("ended: Error (rejected)");
    expect(has(place, "two")).toBe(false);
    await leave(terminal);
    const log = logOf(place);
    expect(only(log, "permission.requested")).toHaveLength(2);
    expect(only(log, "permission.completed").map((e) => [e.data.result, e.data.scope])).toEqual([
      ["approved", "once"],
      ["denied", undefined],
    ]);
  });

  it("A7.9 an edit outside of the folder: the person sees what would change, the log does not hold it", async () => {
    const { place } = await scene((request) =>
      JSON.stringify(request.body).includes('"role":"tool"')
        ? text("ended: all")
        : calls([{ name: "edit", args: { path: "../notes.txt", old_str: "first", new_str: "second" } }]),
    );
    writeFileSync(join(place.folder, "../notes.txt"), "private: first\n");
    const terminal = await at(place);
    terminal.type("go");
    await terminal.see("-private: first");
    await terminal.see("+private: second");
    await terminal.see("Your choice:");
    terminal.type("4");
    await terminal.see("ended: all");
    await leave(terminal);
    expect(JSON.stringify(only(logOf(place), "permission.requested"))).not.toContain("private");
  });

  it("A7.7 this session: the rule is stored for the session, shown by /permissions, reset by it, and not carried over a resume", async () => {
    const { place } = await scene(touching);
    const terminal = await at(place);
    terminal.type("touch one");
    await answer(terminal, "2");
    await terminal.see("ended:");
    terminal.type("touch two");
    await terminal.see("ended:");
    expect([has(place, "one"), has(place, "two")]).toEqual([true, true]);
    terminal.type("/permissions");
    await terminal.see("shell(touch:*)  (approved for this session)");
    terminal.type("/permissions reset session");
    await terminal.see("Removed the approvals for this session");
    terminal.type("touch three");
    await answer(terminal, "2");
    await terminal.see("ended:");
    await leave(terminal);
    const [completed] = only(logOf(place), "permission.completed");
    expect(completed?.data).toMatchObject({ result: "approved", scope: "session", rule: "shell(touch:*)" });
    expect(only(logOf(place), "permission.rules_changed")[0]?.data).toMatchObject({
      scope: "session",
      added: ["shell(touch:*)"],
      allowAll: false,
    });
    expect((await run(place, ["--continue", "-p", "touch four"])).code).toBe(0);
    expect(has(place, "four")).toBe(false);
  });

  it("A7.7 this folder: not offered while untrusted; then saved in permissions.json and in force for the next process", async () => {
    const { place } = await scene(touching);
    const first = await at(place);
    first.type("touch one");
    await first.see("Permission needed");
    await first.see("4. reject");
    expect(first.screen()).not.toContain("3. this folder");
    await first.see("Your choice:");
    first.type("3");
    await first.see("Type one of the numbers");
    await first.see("Your choice:");
    first.type("4");
    await first.see("ended:");
    await leave(first);

    await run(place, ["trust"]);
    const second = await at(place);
    second.type("touch one");
    await second.see("3. this folder, from now on: shell(touch:*)");
    await second.see("Your choice:");
    second.type("3");
    await second.see("ended:");
    await leave(second);
    const file = join(place.home, "permissions.json");
    expect(readFileSync(file, "utf8")).toContain("shell(touch:*)");
    expect((await run(place, ["-p", "touch two"])).code).toBe(0);
    expect(has(place, "two")).toBe(true);
    expect((await run(place, ["-p", "/permissions reset location"])).code).toBe(0);
    await run(place, ["-p", "touch three"]);
    expect(has(place, "three")).toBe(false);
  });

  it("A7.7 reject with words: they reach the model", async () => {
    const { server, place } = await scene(touching);
    const terminal = await at(place);
    terminal.type("touch one");
    await answer(terminal, "5");
    await terminal.see("What should it do instead?");
    terminal.type("use the build folder");
    await terminal.see("ended:");
    expect(toolResults(server.requests[1])[0]?.text).toMatch(/The user rejected.*They said: use the build folder/);
    expect(has(place, "one")).toBe(false);
    await leave(terminal);
  });

  it("A7.7 A7.10 a command with opaque parts can only be approved once", async () => {
    const { place } = await scene(touching);
    const terminal = await at(place);
    terminal.type("touch $(cat name)");
    await terminal.see("Permission needed");
    await terminal.see("You can only approve it for this one time.");
    await terminal.see("Your choice:");
    expect(terminal.screen()).not.toContain("2. this session");
    terminal.type("4");
    await terminal.see("ended:");
    await leave(terminal);
  });

  it("A5.3 two calls of one step are asked one after the other; the answer for the session covers the second", async () => {
    const { place } = await scene([calls([bash("touch one"), bash("touch two")]), text("both done")]);
    const terminal = await at(place);
    terminal.type("go");
    await answer(terminal, "2");
    await terminal.see("both done");
    expect([has(place, "one"), has(place, "two")]).toEqual([true, true]);
    await leave(terminal);
    expect(only(logOf(place), "permission.requested")).toHaveLength(1);
  });

  it("A5.9 Ctrl+C at a prompt withdraws it: nothing runs and the session goes on", async () => {
    const { place } = await scene(touching);
    const terminal = await at(place);
    terminal.type("touch one");
    await terminal.see("Your choice:");
    terminal.press("ctrl+c");
    await terminal.see("Interrupted.");
    terminal.type("touch two");
    await answer(terminal, "1");
    await terminal.see("ended:");
    expect([has(place, "one"), has(place, "two")]).toEqual([false, true]);
    await leave(terminal);
  });
});

describe("A7.4 A7.5 A7.8 what allow-all does not cover", () => {
  it("A7.4 an ask rule asks under allow-all, with no wider answer; A7.8 /allow-all is visible and can be turned off", async () => {
    const { place } = await scene(touching);
    await run(place, ["settings", "set", "permissions.ask", '["shell(touch asked)"]']);
    const terminal = await at(place);
    terminal.type("/allow-all on");
    await terminal.see("allow-all >");
    terminal.type("touch free");
    await terminal.see("ended:");
    terminal.type("touch asked");
    await terminal.see("always asks");
    await terminal.see("Your choice:");
    expect(terminal.screen()).not.toContain("2. this session");
    terminal.type("1");
    await terminal.see("ended:");
    expect([has(place, "free"), has(place, "asked")]).toEqual([true, true]);
    terminal.type("/allow-all off");
    await terminal.see("allow-all is off");
    terminal.type("touch more");
    await answer(terminal, "4");
    await terminal.see("ended:");
    await leave(terminal);
    expect(only(logOf(place), "permission.rules_changed").map((e) => e.data.allowAll)).toEqual([true, false]);
  });

  it("A7.5 a start-up file is asked about, the home is refused without a question", async () => {
    const { server, place } = await scene((_r, i) =>
      i === 0 ? calls([bash("echo x >> .bashrc"), bash(`echo x >> ${place.home}/settings.json`)]) : text("ended"),
    );
    writeFileSync(join(place.folder, ".bashrc"), "");
    const terminal = await at(place, ["--allow-all"]);
    terminal.type("go");
    await terminal.see("start-up file");
    await terminal.see("Your choice:");
    terminal.type("4");
    await terminal.see("ended");
    await leave(terminal);
    expect(readFileSync(join(place.folder, ".bashrc"), "utf8")).toBe("");
    expect(toolResults(server.requests[1])[1]?.text).toMatch(/Error \(guard\)/);
  });
});
