// What prompt mode takes: -p, stdin, both; slash commands; and what it refuses before anything is sent.
import { describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { logOf, only, type Place, run, sessionsOf } from "../tool/everlong.ts";
import { onlySession, scene, userTexts } from "./scene.ts";

const refused = async (place: Place, args: string[], stdin: string | Buffer = "") => {
  const done = await run(place, args, { stdin });
  expect(done.stdout).toBe("");
  expect(sessionsOf(place)).toEqual([]);
  expect(done.stderr).not.toBe("");
  return done.code;
};

describe("A9.1 the prompt", () => {
  it("A9.1 -p TEXT, piped stdin, -p - and both together", async () => {
    const { server, place } = await scene(() => text("ok"));
    for (const [args, stdin] of [
      [["-p", "from the flag"], ""],
      [[], "from stdin\n"],
      [["-p", "-"], "from dash\n"],
      [["-p", "explain this"], "line one\nline two </stdin>\n"],
    ] as const)
      expect((await run(place, [...args], { stdin })).code).toBe(0);
    const [flag, piped, dash, both] = server.requests.map((r) => userTexts(r).at(-1) ?? "");
    expect(flag).toBe("from the flag");
    expect(piped?.trim()).toBe("from stdin");
    expect(dash?.trim()).toBe("from dash");
    expect(both).toMatch(/^explain this\n[\s\S]*<stdin>\nline one\nline two [\s\S]*<\/stdin>$/);
    // The text cannot close its own block.
    expect(both?.match(/<\/stdin>/g)).toHaveLength(1);
  });

  it("A4.6 a long text beside -p is attached as a preview with the path of the whole", async () => {
    const { server, place } = await scene([text("ok")]);
    const long = `${"word ".repeat(10_000)}the end`;
    await run(place, ["-p", "explain"], { stdin: long });
    const sent = userTexts(server.requests[0]).at(-1) ?? "";
    expect(Buffer.byteLength(sent)).toBeLessThan(20_480);
    expect(sent).toMatch(/50007 bytes.*files\/stdin-/);
  });

  it("A9.1 nothing to ask, binary, broken UTF-8 or too much: exit 2, nothing sent, no session", async () => {
    const { server, place } = await scene([]);
    expect(await refused(place, ["-p", ""])).toBe(2);
    expect(await refused(place, [])).toBe(2);
    expect(await refused(place, ["-p", "-"], "  \n")).toBe(2);
    expect(await refused(place, [], Buffer.from([0x61, 0, 0x62]))).toBe(2);
    expect(await refused(place, [], Buffer.from([0x61, 0xff, 0xfe]))).toBe(2);
    expect(await refused(place, ["-p", "x"], Buffer.alloc(8 * 1024 * 1024 + 1, "a"))).toBe(2);
    expect(server.requests).toEqual([]);
  });

  it("A1.5 a bad flag, an unknown flag or an unknown command: exit 2", async () => {
    const { place } = await scene([]);
    expect(await refused(place, ["-p", "x", "--output-format", "yaml"])).toBe(2);
    expect(await refused(place, ["-p", "x", "--no-such-flag"])).toBe(2);
    expect(await refused(place, ["sesions"])).toBe(2);
    expect(await refused(place, ["-p", "x", "--resume", "abcd", "--continue"])).toBe(2);
  });
});

describe("A9.8 slash commands", () => {
  it("A9.8 a known command runs: its output is the result, and command.complete records it", async () => {
    const { server, place } = await scene([text("hi")]);
    await run(place, ["-p", "hello"]);
    const id = onlySession(place);
    const renamed = await run(place, ["--resume", id, "-p", "/rename parser work", "--output-format", "json"]);
    expect(renamed.code, renamed.stderr).toBe(0);
    expect(renamed.json).toMatchObject({ success: true, turns: 0 });
    expect(renamed.json["result"]).toContain("parser work");
    const [command] = only(logOf(place, id), "command.complete");
    expect(command?.data).toMatchObject({
      command: "rename",
      args: "parser work",
      success: true,
      output: renamed.json["result"],
    });
    expect(only(logOf(place, id), "session.title_changed")[0]?.data).toEqual({ title: "parser work", userNamed: true });
    expect(server.requests).toHaveLength(1);
  });

  it("A9.8 unknown: exit 2 with near names; interactive only: exit 2; failed: exit 1; nothing sent", async () => {
    const { server, place } = await scene([]);
    const unknown = await run(place, ["-p", "/renam x"]);
    expect([unknown.code, unknown.stdout]).toEqual([2, ""]);
    expect(unknown.stderr).toContain("/rename");
    const interactive = await run(place, ["-p", "/exit"]);
    expect(interactive.code).toBe(2);
    expect(interactive.stderr).toContain("interactive");
    const failed = await run(place, ["-p", "/undo"]);
    expect(failed.code).toBe(1);
    expect(server.requests).toEqual([]);
  });

  it("A9.8 //x sends /x; a path and text after a space are prompts", async () => {
    const { server, place } = await scene(() => text("ok"));
    for (const prompt of ["//compact it", "/usr/bin is full", " /nosuch"])
      expect((await run(place, ["-p", prompt])).code).toBe(0);
    const sent = server.requests.map((r) => userTexts(r).at(-1));
    expect(sent[0]).toBe("/compact it");
    expect(sent[1]).toBe("/usr/bin is full");
    expect(sent[2]?.trim()).toBe("/nosuch");
  });

  it("A9.9 the commands that only look work in prompt mode", async () => {
    const { place } = await scene([text("hi")]);
    await run(place, ["-p", "hello"]);
    const expected: [string, RegExp][] = [
      ["/help", /\/rename NAME/],
      ["/context", /[\d,]+ of 128,?000 tokens/],
      ["/usage", /custom\/scripted: \d+ in/],
      ["/session", /Prompts: 1/],
      ["/permissions", /allow-all is off/],
    ];
    for (const [command, output] of expected) {
      const done = await run(place, ["--continue", "-p", command]);
      expect(done.code, `${command}: ${done.stderr}`).toBe(0);
      expect(done.stdout, command).toMatch(output);
    }
  });
});

describe("AE14 exit codes and clean stdout", () => {
  it("AE14 an unknown command, a rename, a piped prompt with -p and an empty pipe", async () => {
    const { place } = await scene(() => text("answer"));
    expect(await refused(place, ["-p", "/nosuch"])).toBe(2);
    expect(await refused(place, [], "")).toBe(2);
    const both = await run(place, ["-p", "sum up"], { stdin: "some text" });
    expect([both.code, both.stdout]).toEqual([0, "answer\n"]);
    const renamed = await run(place, ["--continue", "-p", "/rename x"]);
    expect([renamed.code, renamed.stdout.includes("x")]).toEqual([0, true]);
    expect((await run(place, ["--resume", "x", "-p", "go on"])).code).toBe(0);
  });
});
