// Going on with a session: which one is meant, where it runs, and that it has all its history.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { text } from "../model-server/reply.ts";
import { logOf, only, run, sessionsOf } from "../tool/everlong.ts";
import { gitInit, messagesOf, oneCall, onlySession, scene, systemOf, toolResults, userTexts } from "./scene.ts";

describe("A8.1 which session is meant", () => {
  it("A8.1 a full id, a unique prefix of four characters, or an exact name", async () => {
    const { server, place } = await scene((_r, i) => text(`answer ${i}`));
    await run(place, ["-p", "first"]);
    const id = onlySession(place);
    await run(place, ["sessions", "rename", id, "my work"]);
    for (const wanted of [id, id.slice(0, 4), "my work"])
      expect((await run(place, ["--resume", wanted, "-p", "more"])).code, wanted).toBe(0);
    expect(sessionsOf(place)).toEqual([id]);
    expect(userTexts(server.requests.at(-1))).toEqual(["first", "more", "more", "more"]);
  });

  it("A8.1 AB1 malformed: exit 2, no file touched; unknown: exit 1 with the nearest; ambiguous: exit 2 with the list", async () => {
    const { place } = await scene((_r, i) => text(`answer ${i}`));
    await run(place, ["-p", "first"]);
    const id = onlySession(place);
    for (const bad of ["../../etc", "a/b", "x".repeat(10_000), ""]) {
      const done = await run(place, ["--resume", bad, "-p", "go"]);
      expect(done.code, bad.slice(0, 20)).toBe(2);
    }
    expect(sessionsOf(place)).toEqual([id]);
    const wrong = `${id.slice(0, 6)}${id[6] === "0" ? "1" : "0"}0`;
    const unknown = await run(place, ["--resume", wrong, "-p", "go"]);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain(id);
    await run(place, ["-p", "second"]);
    for (const one of sessionsOf(place)) await run(place, ["sessions", "rename", one, "twin"]);
    const ambiguous = await run(place, ["--resume", "twin", "-p", "go"]);
    expect(ambiguous.code).toBe(2);
    for (const one of sessionsOf(place)) expect(ambiguous.stderr).toContain(one);
  });

  it("A8.1 the session folder holds its log, workspace.yaml and, once used, outputs", async () => {
    const { place } = await scene([oneCall("bash", { command: "seq 1 9000", description: "x" }), text("ok")]);
    await run(place, ["-p", "go", "--allow-all"]);
    const dir = join(place.home, "sessions", onlySession(place));
    for (const name of ["events.jsonl", "workspace.yaml", "outputs"])
      expect(existsSync(join(dir, name)), name).toBe(true);
    expect(existsSync(join(place.home, "store.db"))).toBe(true);
  });
});

describe("A8.14 going on", () => {
  it("A8.14 --continue takes the latest of this root, also from a subfolder; none: exit 1 saying so", async () => {
    const { server, place } = await scene((_r, i) => text(`answer ${i}`));
    const none = await run(place, ["--continue", "-p", "go"]);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("No earlier session");
    await run(place, ["-p", "older"]);
    await run(place, ["-p", "newer"]);
    expect((await run(place, ["--continue", "-p", "go"])).code).toBe(0);
    expect(userTexts(server.requests.at(-1))).toEqual(["newer", "go"]);
    const other = mkdtempSync(join(tmpdir(), "everlong-other-"));
    onTestFinished(() => rmSync(other, { recursive: true }));
    expect((await run(place, ["--continue", "-p", "go"], { cwd: other })).code).toBe(1);
  });

  it("A8.14 resumed from inside its root it runs here, from elsewhere where it ran, and with that gone here with a warning", async () => {
    const { server, place } = await scene((_r, i) =>
      i % 2 === 1 ? oneCall("bash", { command: "pwd", description: "where" }) : text("ok"),
    );
    gitInit(place);
    mkdirSync(join(place.folder, "sub"));
    const other = mkdtempSync(join(tmpdir(), "everlong-other-"));
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    const where = () => toolResults(server.requests.at(-1)).at(-1)?.text.split("\n")[0];
    await run(place, ["-p", "go", "--allow-all"]);
    const id = onlySession(place);
    const go = ["--resume", id, "-p", "where?", "--allow-all"];
    await run(place, go, { cwd: join(place.folder, "sub") });
    expect(where()).toBe(join(place.folder, "sub"));
    const away = await run(place, go, { cwd: other });
    expect(away.code, away.stderr).toBe(0);
    expect(where()).toBe(join(place.folder, "sub"));
    rmSync(place.folder, { recursive: true });
    const lost = await run(place, go, { cwd: other });
    expect(lost.code, lost.stderr).toBe(0);
    expect(where()).toBe(other);
    expect(lost.stderr).toMatch(/Warning:.*cannot be entered/);
    expect(systemOf(server.requests.at(-1))).toContain(`Working folder: ${other}`);
  });

  it("A8.14 session.resume comes before any new event, and the history is whole", async () => {
    const { server, place } = await scene([oneCall("view", { path: "." }), text("seen"), text("again")]);
    await run(place, ["-p", "look"]);
    const id = onlySession(place);
    const count = logOf(place, id).length;
    await run(place, ["--resume", id, "-p", "and?"]);
    expect(logOf(place, id)[count]?.type).toBe("session.resume");
    expect(only(logOf(place, id), "session.resume")[0]?.data).toMatchObject({
      eventCount: count,
      model: "custom/scripted",
    });
    expect(userTexts(server.requests.at(-1))).toEqual(["look", "and?"]);
    expect(toolResults(server.requests.at(-1))).toHaveLength(1);
    // Nothing before was changed, so a provider's cache still fits.
    const before = messagesOf(server.requests[1]);
    const after = messagesOf(server.requests[2]);
    expect(after.slice(0, before.length)).toEqual(before);
  });

  it("A9.1 --resume without -p takes its prompt from stdin", async () => {
    const { place } = await scene((_r, i) => text(`answer ${i}`));
    await run(place, ["-p", "first"]);
    const done = await run(place, ["--resume", onlySession(place)], { stdin: "from the pipe" });
    expect([done.code, done.stdout]).toEqual([0, "answer 1\n"]);
  });
});
