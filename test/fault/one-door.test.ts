// P38: one door: whatever the model calls, in whatever mode or session, a deny rule means that nothing was executed.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Call, calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { only, type Place, placeFor, run } from "../tool/everlong.ts";
import { treeChanges, treeOf } from "../tool/tree-hash.ts";

let server: ModelServer;
afterEach(() => server.close());

const secret = "the-content-of-the-file-4711";

/** Every tool that touches something, with a call that would leave a mark or bring the file's text. */
const attempts = (url: string): Call[] => [
  { id: "bash", name: "bash", args: { command: "touch by-bash; cat note.txt", description: "x" } },
  { id: "async", name: "bash", args: { command: "touch by-async", description: "x", mode: "async" } },
  { id: "tty", name: "bash", args: { command: "touch by-tty", description: "x", tty: true } },
  { id: "create", name: "create", args: { path: "by-create.txt", file_text: "x" } },
  { id: "edit", name: "edit", args: { path: "note.txt", old_str: secret, new_str: "changed" } },
  { id: "view", name: "view", args: { path: "note.txt" } },
  { id: "folder", name: "view", args: { path: "." } },
  { id: "grep", name: "grep", args: { pattern: "content", output_mode: "content" } },
  { id: "glob", name: "glob", args: { pattern: "**/*" } },
  { id: "url", name: "web_fetch", args: { url } },
];
const denyAll = ["shell", "write", "read", "url"].flatMap((rule) => ["--deny-tool", rule]);

type Outcome = { place: Place; executed: string[]; denied: string[]; changes: string[]; sent: string; fetched: number };

async function attempt(
  args: string[],
  options: { bin?: string; settings?: object; first?: string[] } = {},
): Promise<Outcome> {
  let fetched = 0;
  const page = createServer((_request, response) => {
    fetched++;
    response.end("page");
  });
  await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
  const place = placeFor(server, { EVERLONG_WEB_FETCH: "1" });
  if (options.bin) place.bin = options.bin;
  execFileSync("mkdir", ["-p", place.home]);
  if (options.settings) writeFileSync(join(place.home, "settings.json"), JSON.stringify(options.settings));
  writeFileSync(join(place.folder, "note.txt"), `${secret}\n`);
  if (options.first) {
    server.script(text("begun"));
    await run(place, options.first);
  }
  const before = treeOf(place.folder);
  server.script(calls(attempts(`http://127.0.0.1:${(page.address() as AddressInfo).port}/`)), text("went on"));
  const done = await run(place, [...args, "--output-format", "stream-json"]);
  page.close();
  expect([0, 1], done.stderr).toContain(done.code);
  const results = only(done.events, "tool.execution_complete");
  expect(results.length).toBe(attempts("").length);
  return {
    place,
    executed: only(done.events, "tool.execution_start").map((e) => e.data.toolCallId),
    denied: results.filter((e) => e.data.resultType === "denied").map((e) => e.data.toolCallId),
    changes: treeChanges(before, treeOf(place.folder)),
    sent: server.requests.at(-1)?.rawBody ?? "",
    fetched,
  };
}

function expectNothing(outcome: Outcome): void {
  expect(outcome.executed).toEqual([]);
  expect(outcome.denied.sort()).toEqual(
    attempts("")
      .map((c) => c.id ?? "")
      .sort(),
  );
  expect(outcome.changes).toEqual([]);
  expect(outcome.fetched).toBe(0);
  // The rule's refusal reached the model, the file's text did not.
  expect(outcome.sent).toContain("denied");
  expect(outcome.sent.replaceAll(JSON.stringify(attempts("")[4]?.args), "").split(secret).length).toBeLessThanOrEqual(
    2,
  );
}

describe("P38 SEC19 one door for permission", () => {
  it("P38 every tool with a deny rule by flag, under --allow-all", async () => {
    server = await startModelServer();
    expectNothing(await attempt(["-p", "go", "--allow-all", ...denyAll]));
  });

  it("P38 every tool with a deny rule in the user's file, in autopilot", async () => {
    server = await startModelServer();
    const settings = {
      permissions: { deny: ["shell", "write", "read", "url"], allow: ["shell", "write", "read", "url"] },
    };
    expectNothing(await attempt(["-p", "go", "--autopilot", "--allow-all"], { settings }));
  });

  it("P38 every tool in a resumed session, though all was allowed before", async () => {
    server = await startModelServer();
    expectNothing(
      await attempt(["--continue", "-p", "go", "--allow-all", ...denyAll], { first: ["-p", "begin", "--allow-all"] }),
    );
  });

  it("P38 A7.12 with nobody to ask and no rule at all, what changes or reaches out is denied and names the flag", async () => {
    server = await startModelServer();
    const { executed, changes, fetched, sent } = await attempt(["-p", "go"]);
    expect(executed.filter((id) => ["bash", "async", "tty", "create", "edit", "url"].includes(id))).toEqual([]);
    expect([changes, fetched]).toEqual([[], 0]);
    expect(sent).toContain("--allow-tool");
  });

  it("T4 a build whose door stands open is seen", async () => {
    server = await startModelServer();
    const bin = brokenCopy(/if \((\w+)\.type === "deny"\) return (?=finish)/, "if (false) return ");
    const { executed, changes } = await attempt(["-p", "go", "--allow-all", ...denyAll], { bin });
    expect(executed.length + changes.length).toBeGreaterThan(0);
  });
});
