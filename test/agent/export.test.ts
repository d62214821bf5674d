// Exports: four formats, from the command line and from inside, escaped and with secrets left out.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { logOf, run } from "../tool/everlong.ts";
import { bash, onlySession, sharedScene, withOwnHome } from "./scene.ts";

const PLANTED = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>";

let shared: Awaited<ReturnType<typeof sharedScene>>;

beforeAll(async () => {
  shared = await sharedScene([
    calls([bash(`echo key ${PLANTED}`)], { text: "I look" }),
    text(`here: ${EVIL} and test-key-0123456789`),
  ]);
  await run(shared.place, ["-p", `show ${EVIL} with ${PLANTED}`, "--allow-all"]);
});
afterAll(() => shared.end());

const talk = () => ({ place: withOwnHome(shared.place), id: onlySession(shared.place) });

describe("A8.19 exports", () => {
  it("A8.19 md, html, json and jsonl hold the conversation; neither the planted key nor the configured one", async () => {
    const { place, id } = talk();
    for (const format of ["md", "html", "json", "jsonl"]) {
      const { code, stdout } = await run(place, ["sessions", "export", id, "--format", format]);
      expect(code).toBe(0);
      expect(stdout, format).not.toContain(PLANTED);
      expect(stdout, format).not.toContain("test-key-0123456789");
      expect(stdout, format).toContain("I look");
      expect(stdout, format).toMatch(/bash/);
    }
  });

  it("A8.19 html is one file without outside requests, with all text escaped", async () => {
    const { place, id } = talk();
    const { stdout } = await run(place, ["sessions", "export", id, "--format", "html"]);
    expect(stdout).not.toMatch(/<script|<img|onerror=alert\(2\)>/i);
    expect(stdout).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(stdout).not.toMatch(/<(link|iframe|object|embed|a|form|base|svg|video)\b|url\(|@import/i);
    expect(stdout).toContain("default-src 'none'");
  });

  it("A8.19 json is one object, jsonl the envelopes of the chain", async () => {
    const { place, id } = talk();
    const whole = JSON.parse((await run(place, ["sessions", "export", id, "--format", "json"])).stdout) as {
      sessionId: string;
      usage: object;
      events: unknown[];
    };
    expect(whole.sessionId).toBe(id);
    expect(Object.keys(whole.usage)).toEqual(["custom/scripted"]);
    const lines = (await run(place, ["sessions", "export", id, "--format", "jsonl"])).stdout.trim().split("\n");
    const ids = lines.map((l) => (JSON.parse(l) as { id: string }).id);
    expect(ids).toEqual(logOf(place, id).map((e) => e.id));
    expect(whole.events).toHaveLength(ids.length);
  });

  it("A8.19 to a file, by the command line and by /export; an unknown format is exit 2", async () => {
    const { place, id } = talk();
    const path = join(place.folder, "out", "talk.md");
    expect((await run(place, ["sessions", "export", id, path])).stdout).toContain(path);
    expect(readFileSync(path, "utf8")).toContain("## User (t1)");
    const inside = await run(place, ["--resume", id, "-p", "/export html inside.html"]);
    expect(inside.code, inside.stderr).toBe(0);
    expect(readFileSync(join(place.folder, "inside.html"), "utf8")).not.toContain(PLANTED);
    expect((await run(place, ["sessions", "export", id, "--format", "pdf"])).code).toBe(2);
    expect((await run(place, ["--resume", id, "-p", "/export pdf"])).code).not.toBe(0);
  });

  it("AI12 no configured key in log, index, output or export", async () => {
    const { place, id } = talk();
    const log = readFileSync(join(place.home, "sessions", id, "events.jsonl"), "utf8");
    // What the model itself said stays; what we send as headers is nowhere.
    expect(log).not.toContain("Bearer");
    expect(readFileSync(join(place.home, "store.db")).includes("test-key-0123456789")).toBe(false);
    expect((await run(place, ["settings"])).stdout).not.toContain("test-key-0123456789");
  });
});
