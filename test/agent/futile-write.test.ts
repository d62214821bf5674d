// Writes that cannot be made: nobody is asked about them, unless the answer would tell what the model may not read.
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer as hookAnswer, userHooks } from "../hook/hook-scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, type Place } from "../tool/everlong.ts";
import { gitInit, scene, toolResults } from "./scene.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

async function at(place: Place, args: string[] = []): Promise<Terminal> {
  const terminal = openTerminal(place, args);
  await terminal.see("Type a message");
  return terminal;
}

async function reject(terminal: Terminal): Promise<void> {
  await terminal.see("Permission needed");
  await terminal.see("Your choice:");
  terminal.type("4");
}

async function leave(terminal: Terminal): Promise<void> {
  await terminal.see("ended: all");
  terminal.type("/exit");
  expect(await terminal.exit).toBe(0);
}

describe("A7.9 writes that cannot be made", () => {
  it("A7.9 nobody is asked to create what exists, and of a place that may not be read nothing is told before the answer", async () => {
    const { place, server } = await scene((request) =>
      JSON.stringify(request.body).includes('"role":"tool"')
        ? text("ended: all")
        : calls([
            { name: "create", args: { path: "here.txt", file_text: "x" } },
            { name: "create", args: { path: "hidden.txt", file_text: "x" } },
          ]),
    );
    for (const name of ["here.txt", "hidden.txt"]) writeFileSync(join(place.folder, name), "old\n");
    const terminal = await at(place, ["--deny-tool", "read(hidden.txt)"]);
    terminal.type("go");
    await reject(terminal);
    await leave(terminal);
    const asked = only(logOf(place), "permission.requested").map((e) => JSON.stringify(e.data.request));
    expect(asked).toEqual([expect.stringContaining("hidden.txt")]);
    const [here, hidden] = toolResults(server.requests[1]).map((result) => result.text);
    expect(here).toMatch(/here.txt already exists. Nothing was changed. Use view, then edit./);
    expect(hidden).toMatch(/^Error \(rejected\)/);
    expect(hidden).not.toContain("exists");
  });

  it("A7.9 nobody is asked for an edit that cannot be made, and of a file that may not be read nothing is told", async () => {
    const edit = (path: string, old_str: string) => ({ name: "edit", args: { path, old_str, new_str: "new" } });
    const { place, server } = await scene((request) =>
      JSON.stringify(request.body).includes('"role":"tool"')
        ? text("ended: all")
        : calls([
            edit("here.txt", "a secret here"),
            edit("twice.txt", "same"),
            edit("absent.txt", "x"),
            edit("bytes.bin", "x"),
            edit(".git/config", "not in it"),
            edit("here.txt", "a secret word"),
            edit("hidden.txt", "not a secret"),
            edit("../outside.txt", "not a secret"),
            edit("../nowhere.txt", "not a secret"),
            edit("link.txt", "not a secret"),
          ]),
    );
    for (const name of ["here.txt", "hidden.txt", "../outside.txt"])
      writeFileSync(join(place.folder, name), "a secret word\n");
    writeFileSync(join(place.folder, "twice.txt"), "same\nsame\n");
    writeFileSync(join(place.folder, "bytes.bin"), Buffer.from([0, 1, 2, 255]));
    symlinkSync("../outside.txt", join(place.folder, "link.txt"));
    gitInit(place);
    const terminal = await at(place, ["--deny-tool", "read(hidden.txt)"]);
    terminal.type("go");
    for (let n = 0; n < 5; n++) await reject(terminal);
    await leave(terminal);
    const requests = only(logOf(place), "permission.requested").map((e) => JSON.stringify(e.data.request));
    const names = [".git/config", "here.txt", "hidden.txt", "outside.txt", "nowhere.txt", "link.txt"];
    expect(requests).toHaveLength(names.length);
    for (const name of names) expect(requests.join()).toContain(name);
    const results = toolResults(server.requests[1]).map((result) => result.text);
    expect(results[0]).toMatch(/does not occur in the file.*Nearest lines:\n1\ta secret word/s);
    expect(results[1]).toContain("occurs 2 times");
    expect(results[2]).toMatch(/^Error \(not_found\)/);
    expect(results[3]).toContain("is not UTF-8 text");
    expect(results[4]).toMatch(/^Error \(guard\)/);
    for (const result of results.slice(5)) expect(result).toMatch(/^Error \(rejected\)/);
    expect(results.slice(6).join()).not.toMatch(/word|occur|no such|not exist/i);
  });

  it("A7.9 a hook that asks about an edit comes before what the edit would say of the file", async () => {
    const { place, server } = await scene((request) =>
      JSON.stringify(request.body).includes('"role":"tool"')
        ? text("ended: all")
        : calls([{ name: "edit", args: { path: "here.txt", old_str: "a secret here", new_str: "x" } }]),
    );
    writeFileSync(join(place.folder, "here.txt"), "a secret word\n");
    const ask = { permissionDecision: "ask", permissionDecisionReason: "look at it" };
    userHooks(place, { preToolUse: [{ bash: hookAnswer(ask) }] });
    const terminal = await at(place);
    terminal.type("go");
    await reject(terminal);
    await leave(terminal);
    expect(toolResults(server.requests[1])[0]?.text).toMatch(/^Error \(rejected\)/);
    expect(server.requests[1]?.rawBody).not.toContain("secret word");
  });
});
