// What people type out of habit from other agents: a prompt as the only argument, and short flags.
import { describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { logOf, only, run, sessionsOf } from "../tool/everlong.ts";
import { messagesOf, scene, textOf } from "./scene.ts";
import { openTerminal } from "./terminal.ts";

const prompts = (place: Parameters<typeof logOf>[0], id?: string) =>
  only(logOf(place, id), "user.message").map((e) => e.data.content);

describe("N45 habits", () => {
  it("N45 everlong TEXT opens the conversation in a terminal with that prompt, and it stays open", async () => {
    const { place } = await scene((_r, i) => text(`answer ${i}`));
    const terminal = openTerminal(place, ["fix the bug", "--trust-folder"]);
    await terminal.see("answer 0");
    terminal.type("and the test");
    await terminal.see("answer 1");
    terminal.press("ctrl+d");
    expect(await terminal.exit).toBe(0);
    expect(prompts(place)).toEqual(["fix the bug", "and the test"]);
  });

  it("N45 without a terminal TEXT is one prompt; words need no quotes; stdin is attached", async () => {
    const { place, server } = await scene(() => text("fixed"));
    const result = await run(place, ["fix", "the", "bug"], { stdin: "a stack trace" });
    expect([result.code, result.stdout.trim()]).toEqual([0, "fixed"]);
    const last = textOf(messagesOf(server.requests[0]).at(-1));
    expect(last).toContain("fix the bug");
    expect(last).toContain("a stack trace");
  });

  it("N45 F105 the first page of help fits 80 columns; everlong help, and help of a command or subcommand, print what --help prints; other words are a prompt", async () => {
    const { place, server } = await scene(() => text("helped"));
    const same = async (asked: string[], shown: string[]) =>
      expect((await run(place, asked)).stdout).toBe((await run(place, shown)).stdout);
    await same(["help"], ["--help"]);
    await same(["help", "sessions"], ["sessions", "--help"]);
    await same(["help", "memory", "add"], ["memory", "add", "--help"]);
    expect((await run(place, ["help", "with"])).stdout).toContain("--print");
    const page = (await run(place, ["--help"])).stdout.trimEnd().split("\n");
    expect(page.filter((line) => line.length > 80)).toEqual([]);
    expect(page.length).toBeLessThan(50);
    expect((await run(place, ["help", "options"])).stdout).toContain("--trust-folder");
    expect(server.requests).toEqual([]);
    expect((await run(place, ["help", "me"])).stdout).toBe("helped\n");
  });

  it("N45 -c continues, -r ID resumes, -m chooses the model", async () => {
    const { place, server } = await scene(() => text("an answer"));
    await run(place, ["first"]);
    const [first = ""] = sessionsOf(place);
    await run(place, ["-p", "second"]);
    const second = sessionsOf(place).find((id) => id !== first) ?? "";
    expect((await run(place, ["-c", "third"])).code).toBe(0);
    expect((await run(place, ["-r", first.slice(0, 8), "-p", "fourth", "-m", "custom/other"])).code).toBe(0);
    expect(prompts(place, second)).toEqual(["second", "third"]);
    expect(prompts(place, first)).toEqual(["first", "fourth"]);
    expect(server.requests.map((r) => (r.body as { model: string }).model)).toContain("other");
  });

  it("N45 --resume without an id lists; beside a prompt it says what is missing; in a terminal it lets you pick", async () => {
    const { place } = await scene((_r, i) => text(`answer ${i}`));
    const none = await run(place, ["--resume"]);
    expect([none.code, none.stdout]).toEqual([0, expect.stringContaining("No sessions in this folder yet")]);
    await run(place, ["about marmots"]);
    const [id = ""] = sessionsOf(place);
    expect((await run(place, ["--resume"])).stdout).toMatch(new RegExp(`^${id} .*about marmots\nResume with:`));
    const refused = await run(place, ["--resume", "-p", "x"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`everlong --resume ${id} -p`)]);
    const terminal = openTerminal(place, ["-r", "--trust-folder"]);
    await terminal.see("Resume which?");
    terminal.type("7");
    await terminal.see("Resume which?");
    terminal.type("1");
    await terminal.see(id);
    terminal.type("and otters");
    await terminal.see("answer 1");
    terminal.press("ctrl+d");
    await terminal.exit;
    expect(prompts(place, id)).toEqual(["about marmots", "and otters"]);
  });

  it("N45 a mistyped command is not sent to a model; a greeting is; two prompts are one too many", async () => {
    const { place, server } = await scene(() => text("hi"));
    const typo = await run(place, ["sesions"]);
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining("Did you mean sessions?")]);
    const line = await run(place, ["bord", "list"]);
    expect([line.code, line.stderr]).toEqual([2, expect.stringContaining("Did you mean board list?")]);
    const swapped = await run(place, ["board", "lsit"]);
    expect([swapped.code, swapped.stderr]).toEqual([2, expect.stringContaining("Did you mean list?")]);
    expect((await run(place, ["-p", "one", "two"])).code).toBe(2);
    expect(server.requests.length).toBe(0);
    expect((await run(place, ["hello"])).stdout.trim()).toBe("hi");
  });

  it.each([[["--resume", ""]], [["--resume", " ", "-p", "x"]]])(
    "N45 %j is refused before anything starts",
    async (args) => {
      const { place, server } = await scene(() => text("hi"));
      const refused = await run(place, args);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("[bad_session_id]")]);
      expect(server.requests).toHaveLength(0);
    },
  );

  it("N45 an unknown id names the nearest", async () => {
    const { place } = await scene(() => text("an answer"));
    await run(place, ["x y"]);
    const [id = ""] = sessionsOf(place);
    const mistyped = `${id[0] === "0" ? "1" : "0"}${id.slice(1, 8)}`;
    const refused = await run(place, ["-r", mistyped, "-p", "x"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`Did you mean ${id}?`)]);
  });
});
