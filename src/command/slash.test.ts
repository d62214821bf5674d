// What is a command, what is a prompt.
import { describe, expect, it } from "vitest";
import { parseTyped } from "./slash.ts";
import { slashCommands } from "./table.ts";

describe("A9.8 slash commands", () => {
  it.each([
    ["/help", "help", ""],
    ["/rename  my name ", "rename", "my name"],
    ["/Model gpt", "model", "gpt"],
    ["/quit", "exit", ""],
  ])("%j runs", (typed, name, args) => {
    expect(parseTyped(typed)).toMatchObject({ type: "command", command: { name }, args });
  });

  it.each([
    ["/a/b", "/a/b"],
    [" /help", " /help"],
    ["//x y", "/x y"],
    ["hello /help", "hello /help"],
    ["/usr/bin/env", "/usr/bin/env"],
  ])("%j is a prompt", (typed, text) => {
    expect(parseTyped(typed)).toEqual({ type: "prompt", text });
  });

  it("an unknown one is refused with near names", () => {
    const typed = parseTyped("/contxt now");
    expect(typed.type === "unknown" && typed.failure).toMatchObject({
      exit: 2,
      next: expect.stringContaining("/context"),
    });
  });

  it("A9.9 has every command of the list", () => {
    const names = slashCommands.map((c) => c.name);
    const wanted =
      "help model settings context usage session rename undo rewind fork export plan todos permissions allow-all add-dir trust clear exit";
    expect(wanted.split(" ").filter((n) => !names.includes(n))).toEqual([]);
  });
});
