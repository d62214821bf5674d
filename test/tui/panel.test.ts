// Panels of pages in the terminal: pickers that run a command, and texts that follow what they show.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { oneCall, readIn, scene, userTexts, writeIn } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { openScreen } from "./screen.ts";

const CTRL_T = "\u0014";
const size = { columns: 100, rows: 30 };

describe("going back", () => {
  it("F56 Esc Esc lists messages newest first; the chosen one and all after it leave the conversation", async () => {
    const { server, place } = await scene(() => text("fine"));
    const screen = openScreen(place, size);
    await screen.see("? keys");
    for (const [at, words] of ["alpha one", "beta two", "gamma three"].entries()) {
      screen.type(`${words}\r`);
      await server.waitFor(at + 1, 20_000);
      await expect.poll(() => screen.all().join("\n").split("fine").length).toBe(at + 2);
      await screen.see("? keys");
    }
    screen.press("escape", "escape");
    await screen.see(/> 1 t3 +(?:just now|\d+min ago) +gamma three\n {2}2 t2 .*beta two\n {2}3 t1 .*alpha one/);
    await screen.see("1/3");
    screen.type("beta");
    await screen.see(/> 1 t2 .*beta two\n {2}1\/1/);
    screen.press("enter");
    await screen.see("Back to before t2: beta two");
    await screen.see(/> 1 conversation only +takes 2 messages/);
    screen.press("escape");
    await screen.see("search: beta");
    screen.press("enter");
    await screen.see("> 1 conversation only");
    screen.press("down");
    await screen.see("> 2 cancel");
    screen.press("enter");
    await screen.see("search: beta");
    screen.press("enter");
    await screen.see("> 1 conversation only");
    screen.press("enter");
    await screen.reach("Removed 2 messages");
    await screen.lose("Back to before");
    // The message that was gone back to stands in the editor again.
    await screen.see("❯ beta two");
    screen.press("ctrl+c");
    await screen.lose("❯ beta two");
    screen.type("delta four\r");
    await server.waitFor(4, 20_000);
    const sent = userTexts(server.requests[3]).join("\n");
    expect(sent).toContain("alpha one");
    expect(sent).toContain("delta four");
    expect(sent).not.toContain("beta two");
    expect(sent).not.toContain("gamma three");
  });

  it("F56 A8.16 A6.4 conversation and files: what the agent wrote goes back, what was changed by hand stays until it is confirmed", async () => {
    const { place } = await scene([
      oneCall("edit", { path: "a.txt", old_str: "one", new_str: "two" }),
      oneCall("edit", { path: "b.txt", old_str: "one", new_str: "two" }),
      oneCall("create", { path: "new.txt", file_text: "fresh" }),
      oneCall("edit", { path: "c.txt", old_str: "one", new_str: "two" }),
      // Not by the agent's own tools, as a person between two of its changes.
      oneCall("bash", { command: "echo by hand >> c.txt", description: "add a line" }),
      oneCall("view", { path: "c.txt" }),
      oneCall("edit", { path: "c.txt", old_str: "two", new_str: "three" }),
      text("changed them"),
    ]);
    writeIn(place, "a.txt", "one\n");
    writeIn(place, "b.txt", "one\n");
    writeIn(place, "c.txt", "one\n");
    const screen = openScreen(place, { ...size, args: ["--allow-all"] });
    await screen.see("? keys");
    screen.type("change the files\r");
    await screen.reach("changed them");
    await screen.see("? keys");
    writeIn(place, "b.txt", "by hand\n");
    screen.press("escape", "escape");
    await screen.see(/> 1 t1 +(?:just now|\d+min ago) {2}4 files +change the files/);
    screen.press("enter");
    await screen.see(/1 conversation only +takes 1 message/);
    await screen.see(/2 conversation and files .*2 files \(a\.txt, new\.txt\)/);
    await screen.see(/3 also files changed by others +2 files \(b\.txt, c\.txt\): what they hold now is kept/);
    screen.type("2");
    await screen.reach("Restored 2 files:");
    await screen.reach(/b\.txt: changed since by someone else/);
    expect(readIn(place, "a.txt")).toBe("one\n");
    expect(readIn(place, "b.txt")).toBe("by hand\n");
    expect(readIn(place, "c.txt")).toBe("three\nby hand\n");
    expect(existsSync(join(place.folder, "new.txt"))).toBe(false);
  });

  it("F56 without a message the list says so, and Esc closes it", async () => {
    const { place } = await scene(() => text("fine"));
    const screen = openScreen(place, { columns: 40, rows: 10 });
    await screen.see("? keys");
    screen.press("escape", "escape");
    await screen.see("No message to go back to yet.");
    screen.press("enter", "escape");
    await screen.lose("No message to go back");
  });
});

describe("todos and models", () => {
  it("Ctrl+T shows the todos with what they wait for and counts, and follows the agent's changes", async () => {
    const sql = (query: string) => calls([{ name: "sql", args: { query, description: "todos" } }]);
    const insert =
      "INSERT INTO todos (id, title) VALUES ('a', 'first'), ('b', 'second'); INSERT INTO todo_deps VALUES ('b', 'a')";
    const { place } = await scene([
      sql(insert),
      text("planned"),
      sql("UPDATE todos SET status = 'done' WHERE id = 'a'"),
      text("worked"),
    ]);
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type(CTRL_T);
    await screen.see("No todos yet.");
    screen.press("escape");
    await screen.lose("No todos yet.");
    screen.type("plan it\r");
    await screen.reach("planned");
    screen.type(CTRL_T);
    await screen.see("0 of 2 todos done");
    await screen.see("[ ] b: second (pending, after a)");
    screen.press("escape");
    await screen.lose("0 of 2");
    screen.type("work\r");
    screen.type(CTRL_T);
    await screen.see("1 of 2 todos done");
    await screen.see("[x] a: first (done)");
  });

  it("F61 /model lists what can be used with its limit and marks the one in use", async () => {
    const { place } = await scene(() => text("fine"));
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("/model\r");
    await screen.see(/> 1 custom\/scripted +prompts up to [\d,]+ tokens, in use/);
    screen.type("zzz");
    await screen.see("No matches.");
    screen.press("backspace", "backspace", "backspace");
    await screen.see("> 1 custom/scripted");
    screen.type("2");
    await screen.lose("Which model?");
    await screen.see("interactive · offline");
  });

  it("F53 /context shows the report in a panel that scrolls and closes", async () => {
    const { place } = await scene(() => text("fine"));
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("/context\r");
    await screen.see("What fills the context window");
    screen.press("down", "escape");
    await screen.lose("What fills the context window");
  });
});
