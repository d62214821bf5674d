// Output too long for a request: a bounded excerpt for the model, all of it in a file that the tools can read.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
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
});
