// The inbox in the user's hand: looked at and emptied from the command line, while memory is on or off.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { oneCall, toolResults } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { at, leave } from "../orchestration/terminal.ts";
import { logOf, only, type Place, run, sessionsOf } from "../tool/everlong.ts";
import { addItem, type Cast, cast, door, ended, forwarder, get, send, streamed } from "./sidekick-scene.ts";

const ASK = "how do we publish a release of this project?";
const CONTENT = "Publish the release with the script in tools.";

/** A session with one entry, sent after its only turn was decided. */
async function withEntry(content = CONTENT, next: Parameters<typeof cast>[0] = () => text("answer")): Promise<Cast> {
  const { side, sent } = forwarder("release-steps", content);
  const stage = await cast(async (request, step) => {
    if (step > 0) return next(request, step);
    await sent;
    await ended(stage.place);
    return text("answer");
  }, side);
  await addItem(stage.place, "release-steps", content);
  const done = await streamed(stage.place, ASK);
  expect(done.code, done.stderr).toBe(0);
  return stage;
}

const entries = async (place: Place) =>
  (await run(place, ["inbox", "list", "--json"])).stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("everlong inbox", () => {
  it("M123 M5 list, show and delete, also with memory off; looking does not mark it read", async () => {
    const { place } = await withEntry();
    const [id = ""] = sessionsOf(place);
    const env = { EVERLONG_MEMORY: "off" };
    const [entry] = await entries(place);
    const entryId = String(entry?.["id"]);
    expect(entryId).toMatch(/^subconscious-agent-[0-9a-f-]{36}$/);
    const list = await run(place, ["inbox"], { env });
    expect(list.stdout).toContain(`${entryId}`);
    expect(list.stdout).toContain("unread");
    const shown = await run(place, ["inbox", "show", entryId, "--session", id], { env });
    expect(shown.stdout).toContain(CONTENT);
    expect(await entries(place)).toMatchObject([{ unread: true, readAt: null, notifiedAt: null }]);
    const asked = await run(place, ["inbox", "delete", entryId], { env });
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    const wrong = await run(place, ["inbox", "show", "nothing-like-it"]);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("inbox list")]);
    const inTool = { env: { ...env, EVERLONG_TOOL_SHELL: "r1" } };
    const byAgent = await run(place, ["inbox", "delete", entryId, "--yes"], inTool);
    expect([byAgent.code, byAgent.stderr]).toEqual([1, expect.stringContaining("Only a person can")]);
    expect((await run(place, ["inbox", "delete", entryId, "--yes"], { env })).code).toBe(0);
    expect(await entries(place)).toEqual([]);
    const db = readFileSync(join(place.home, "sessions", id, "session.db"), "latin1");
    expect(db).not.toContain(CONTENT);
  });

  it("M123 /inbox shows and deletes in an open session; what is deleted is not announced", async () => {
    const { place, main } = await withEntry();
    const [entry] = await entries(place);
    const [id = ""] = sessionsOf(place);
    const list = await run(place, ["--resume", id, "-p", "/inbox"]);
    expect(list.stdout).toContain(String(entry?.["id"]));
    const shown = await run(place, ["--resume", id, "-p", `/inbox ${entry?.["id"]}`]);
    expect(shown.stdout).toContain(CONTENT);
    expect((await entries(place))[0]).toMatchObject({ unread: true });
    const wrong = await run(place, ["--resume", id, "-p", "/inbox burn everything"]);
    expect(wrong.code).toBe(2);
    const gone = await run(place, ["--resume", id, "-p", `/inbox delete ${entry?.["id"]}`]);
    expect(gone.code, gone.stderr).toBe(0);
    const next = await streamed(place, "ok thanks", "--resume", id);
    expect(only(next.events, "system.notification")).toEqual([]);
    expect(main()).toHaveLength(2);
  });

  it("M123 what is deleted in another process while the session is open is not given to the model", async () => {
    const { open, opened } = door();
    const stage = await cast(
      () => text("answered"),
      async (_request, step) => {
        if (step === 0) return get("release-steps");
        await opened;
        return step === 1 ? send(CONTENT) : text("done");
      },
    );
    const { place } = stage;
    await addItem(place, "release-steps", CONTENT);
    const terminal = await at(place);
    terminal.type(ASK);
    await terminal.see("answered");
    open();
    await ended(place);
    const [entry] = await entries(place);
    expect((await run(place, ["inbox", "delete", String(entry?.["id"]), "--yes"])).code).toBe(0);
    terminal.type("ok thanks");
    await terminal.see("answered");
    await leave(terminal);
    expect(only(logOf(place), "system.notification")).toEqual([]);
    expect(JSON.stringify(stage.main()[1]?.body)).not.toContain(CONTENT);
  });

  it("MB20 read_inbox of an unknown id is not_found; none unread is a success", async () => {
    const stage = await cast(
      (_request, step) => {
        if (step === 0) return oneCall("read_inbox", { entry_id: "subconscious-agent-1" });
        return step === 1 ? oneCall("read_inbox", {}) : text("done");
      },
      () => text("nothing"),
    );
    const done = await streamed(stage.place, ASK);
    expect(done.code, done.stderr).toBe(0);
    expect(only(done.events, "tool.execution_complete").map((e) => e.data.error?.code)).toEqual([
      "not_found",
      undefined,
    ]);
    expect(toolResults(stage.main()[2])[1]?.text).toContain("No unread");
  });

  it("A6.16 the main agent's sql reads the inbox and cannot write it", async () => {
    const stage = await withEntry(CONTENT, (_request, step) => {
      if (step === 1) return oneCall("sql", { query: "SELECT content, unread FROM inbox_entries", description: "x" });
      if (step === 2) return oneCall("sql", { query: "DELETE FROM inbox_entries", description: "x" });
      return text("done");
    });
    const [id = ""] = sessionsOf(stage.place);
    const done = await streamed(stage.place, "ok thanks", "--resume", id);
    expect(done.code, done.stderr).toBe(0);
    const results = toolResults(stage.main()[3]).map((r) => r.text);
    expect(results[0]).toContain(CONTENT);
    expect(results[1]).toContain("Nothing was changed");
    expect(await entries(stage.place)).toHaveLength(1);
  });

  it("ME5 M125 no secret is in the inbox, whoever sends it", async () => {
    const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const { place } = await withEntry(`Publish the release with ${token} as the token.`);
    const [id = ""] = sessionsOf(place);
    const folder = join(place.home, "sessions", id);
    for (const name of readdirSync(folder).filter((n) => n.startsWith("session.db")))
      expect(readFileSync(join(folder, name), "latin1")).not.toContain(token);
    const [entry] = await entries(place);
    expect(entry?.["content"]).toMatch(/\[redacted:github-token:[0-9a-f]{8}\]/);
  });
});
