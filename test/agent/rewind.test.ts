// Going back: the turn leaves the conversation, stays in the log and in the search, and its number is never used again.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { oneCall, onlySession, readIn, scene, sharedScene, userTexts, withOwnHome, writeIn } from "./scene.ts";

let shared: Awaited<ReturnType<typeof sharedScene>>;

beforeAll(async () => {
  const script = [
    oneCall("create", { path: "one.txt", file_text: "1\n" }),
    text("made one"),
    oneCall("create", { path: "two.txt", file_text: "2\n" }),
    text("made two"),
    oneCall("create", { path: "three.txt", file_text: "3\n" }),
    text("made three: wombats"),
  ];
  shared = await sharedScene((_r, i) => script[i] ?? text("after"));
  for (const [i, word] of ["apples", "bananas", "cherries"].entries()) {
    const done = await run(shared.place, [...(i > 0 ? ["--continue"] : []), "-p", `make ${word}`, "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
  }
});
afterAll(() => shared.end());

const threeTurns = () => ({ ...shared, place: withOwnHome(shared.place), id: onlySession(shared.place) });

describe("AE11 three turns with edits, then back to before the third", () => {
  it("AE11 the next request lacks turn 3, search finds it as rewound, verify passes, files stay", async () => {
    const { server, place, id } = threeTurns();
    const path = join(place.home, "sessions", id, "events.jsonl");
    const before = readFileSync(path, "utf8");
    const third = only(logOf(place, id), "user.message").find((m) => m.data.ref === "t3");
    const back = await run(place, ["sessions", "rewind", id, "--to", third?.id ?? ""]);
    expect(back.code, back.stderr).toBe(0);
    expect(back.stdout).toMatch(/effects of commands stay/);
    const next = await run(place, ["--resume", id, "-p", "go on"]);
    expect([next.code, next.stdout]).toEqual([0, "after\n"]);
    const request = server.requests.at(-1);
    expect(userTexts(request)).toEqual(["make apples", "make bananas", "go on"]);
    expect(JSON.stringify(request?.body)).not.toMatch(/cherries|wombats|three\.txt/);
    const found = await run(place, ["sessions", "search", "wombats"]);
    expect(found.stdout).toMatch(/t3.*rewound/);
    expect((await run(place, ["sessions", "verify", id])).stdout).toContain("intact");
    // The log only grows, and the number of the turn is not used again.
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    expect(only(logOf(place, id), "user.message").map((m) => m.data.ref)).toEqual(["t1", "t2", "t3", "t4"]);
    expect(readIn(place, "three.txt")).toBe("3\n");
    expect((await run(place, ["recall", "t3", "--session", id])).stdout).toContain("make cherries");
  });

  it("A8.16 /undo takes back the last message, /rewind previews and counts; an unknown place changes nothing", async () => {
    const { server, place, id } = threeTurns();
    const size = () => logOf(place, id).length;
    const preview = await run(place, ["--resume", id, "-p", "/rewind"]);
    expect(preview.stdout).toContain("make cherries");
    expect(only(logOf(place, id), "session.snapshot_rewind")).toEqual([]);
    const wrong = await run(place, ["--resume", id, "-p", "/undo 2"]);
    expect(wrong.stderr).toContain("/undo [--files");
    expect((await run(place, ["--resume", id, "-p", "/undo"])).stdout).toContain("t3");
    expect((await run(place, ["--resume", id, "-p", "/rewind 1"])).stdout).toContain("t2");
    const before = size();
    const unknown = await run(place, ["sessions", "rewind", id, "--to", "t9"]);
    expect([unknown.code, size()]).toEqual([1, before]);
    await run(place, ["--resume", id, "-p", "go on"]);
    expect(userTexts(server.requests.at(-1))).toEqual(["make apples", "go on"]);
    const [first, second] = only(logOf(place, id), "session.snapshot_rewind");
    expect(first?.data.eventsRemoved).toBeGreaterThan(4);
    // The parent is the event before the target: later events leave the chain.
    const ids = logOf(place, id).map((e) => e.id);
    expect(ids.indexOf(second?.parentId ?? "")).toBeLessThan(ids.indexOf(second?.data.upToEventId ?? ""));
  });
});

describe("files that others changed", () => {
  it("F56 A8.16 what /undo --files left can be put back afterwards with --overwrite, and nothing more leaves the conversation", async () => {
    const { place, server } = await scene([
      oneCall("create", { path: "one.txt", file_text: "1\n" }),
      text("made one"),
      oneCall("create", { path: "two.txt", file_text: "2\n" }),
      text("made two"),
      text("after"),
    ]);
    await run(place, ["-p", "make one", "--allow-all"]);
    const id = onlySession(place);
    const slash = (line: string) => run(place, ["--resume", id, "-p", line, "--allow-all"]);
    await slash("make two");
    for (const name of ["one.txt", "two.txt"]) writeIn(place, name, "by hand");
    const undone = await slash("/undo --files");
    expect(undone.stdout).toContain("two.txt: changed since by someone else");
    expect(undone.stdout).toContain("/undo --files --overwrite restores those that someone else changed");
    expect(readIn(place, "two.txt")).toBe("by hand");
    // Going back further does not forget it.
    const stored = await run(place, ["sessions", "rewind", id, "--to", "t1", "--files"]);
    expect(stored.stdout).toContain(`everlong sessions rewind ${id} --to t1 --files --overwrite restores`);
    const again = await run(place, ["sessions", "rewind", id, "--to", "t1", "--files", "--overwrite"]);
    expect(again.stdout).toContain("The conversation is unchanged.");
    expect(again.stdout).toMatch(/Restored 2 files:[\s\S]*The replaced \S+one.txt is kept as/);
    expect(["one.txt", "two.txt"].filter((name) => existsSync(join(place.folder, name)))).toEqual([]);
    // There is nothing left to put back: the command is again what it always was.
    expect((await slash("/undo --files --overwrite")).stderr).toContain("No message to go back to");
    await slash("go on");
    expect(userTexts(server.requests.at(-1))).toEqual(["go on"]);
  });

  it("F56 A8.16 /undo --files --overwrite in the conversation puts back what the /undo before it left, once", async () => {
    const { place } = await scene([oneCall("create", { path: "one.txt", file_text: "1\n" }), text("made one")]);
    await run(place, ["-p", "make one", "--allow-all"]);
    const id = onlySession(place);
    const slash = (line: string) => run(place, ["--resume", id, "-p", line]);
    writeIn(place, "one.txt", "by hand");
    await slash("/undo --files");
    expect((await slash("/undo --files --overwrite")).stdout).toContain("Restored 1 file:");
    expect(existsSync(join(place.folder, "one.txt"))).toBe(false);
    writeIn(place, "one.txt", "mine");
    expect((await slash("/undo --files")).code).toBe(1);
    expect(readIn(place, "one.txt")).toBe("mine");
  });
});
