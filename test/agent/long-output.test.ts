// Output too long for a request: a bounded excerpt for the model, all of it in a file that the tools can read.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, run, sessionsOf } from "../tool/everlong.ts";
import { bash, scene, toolResults } from "./scene.ts";

describe("AE9 seq 1 200000", () => {
  it("AE9 the request carries at most 20 KiB of it, the named file all lines, and view and grep reach line 123456", async () => {
    const { server, place } = await scene((request, index) => {
      const file = /Whole output: (\S+)/.exec(toolResults(request)[0]?.text ?? "")?.[1] ?? "";
      if (index === 0) return calls([bash("seq 1 200000", {}, "c1")]);
      if (index === 1)
        return calls([
          { id: "c2", name: "view", args: { path: file, view_range: [123_456, 123_456] } },
          { id: "c3", name: "grep", args: { pattern: "^123456$", path: file, output_mode: "content" } },
        ]);
      return text("found");
    });
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    const [seq] = toolResults(server.requests[1]);
    expect(Buffer.byteLength(seq?.text ?? "")).toBeLessThanOrEqual(20_480);
    expect(seq?.text).toMatch(/^1\n2\n3\n/);
    expect(seq?.text).toMatch(/\n199999\n200000\n\[exit code 0/);
    expect(seq?.text).toMatch(/1288895 bytes, 200000 lines/);
    const complete = only(logOf(place), "tool.execution_complete")[0]?.data.result;
    expect(complete).toMatchObject({ bytes: 1_288_895, lines: 200_000 });
    const lines = readFileSync(complete?.outputFile ?? "", "utf8")
      .trim()
      .split("\n");
    expect([lines.length, lines[0], lines[123_455], lines.at(-1)]).toEqual([200_000, "1", "123456", "200000"]);
    const [, view, grep] = toolResults(server.requests[2]);
    expect(view?.text).toContain("123456");
    expect(grep?.text).toContain("123456");
    expect(grep?.text).not.toContain("Error");
  });

  it("AI9 a tool's own bound holds for every tool, with the bound of the settings", async () => {
    const { server, place } = await scene([calls([bash("seq 1 3000", {}, "c1")]), text("ok")], {
      env: { EVERLONG_TOOL_OUTPUT_MAX_BYTES: "2000" },
    });
    expect((await run(place, ["-p", "go", "--allow-all"])).code).toBe(0);
    expect(Buffer.byteLength(toolResults(server.requests[1])[0]?.text ?? "")).toBeLessThanOrEqual(2000);
  });

  it("N16 what is kept is bounded for a call and for the session; view shows the marker of what left", async () => {
    const { server, place } = await scene(
      (request, index) => {
        const file = /(\/\S+c0\.txt)/.exec(toolResults(request)[0]?.text ?? "")?.[1] ?? "";
        if (index < 4) return calls([bash("seq 1 100000", {}, `c${index}`)]);
        return index === 4 ? calls([{ id: "look", name: "view", args: { path: file } }]) : text("seen");
      },
      { env: { EVERLONG_TOOL_OUTPUT_FILE_MAX_BYTES: "100000", EVERLONG_TOOL_OUTPUTS_MAX_BYTES: "250000" } },
    );
    expect((await run(place, ["-p", "go", "--allow-all"])).code).toBe(0);
    const results = toolResults(server.requests[5]).map((result) => result.text);
    expect(results[0]).toContain("its first 100000 bytes: the file stops at its limit");
    expect(results[4]).toContain("This output of 100000 bytes was removed");
    const [id = ""] = sessionsOf(place);
    const folder = join(place.home, "sessions", id, "outputs");
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(250_000);
    expect(sizes.filter((size) => size === 100_000)).toHaveLength(2);
  });
});
