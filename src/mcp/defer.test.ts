// Deferred tools: hidden when they would fill the prompt, found by words, offered from then on.

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { testContext, textOf } from "../tool/builtin/test-context.ts";
import { defineTool, success } from "../tool/contract.ts";
import { createDeferral } from "./defer.ts";
import type { McpTool } from "./tool.ts";

const tool = (server: string, name: string, description: string): McpTool => ({
  ...defineTool({
    name: `${server}-${name}`,
    description,
    input: z.strictObject({}),
    permissions: () => [],
    run: async () => success(""),
  }),
  mcp: { server, tool: name, readOnly: false, fingerprint: "", task: false },
});
const many = Array.from({ length: 400 }, (_, n) =>
  tool("many", `tool_${n}`, "Does something with a thing. ".repeat(10)),
);
const issue = tool("github", "create_issue", "Opens an issue.");

describe("deferring", () => {
  it("O133 OE14 400 tools become one, which finds them; what was found joins the next request", async () => {
    const deferral = createDeferral("auto");
    const [finder, ...rest] = deferral.offer([...many, issue], 100_000);
    expect(rest).toEqual([]);
    expect(finder?.name).toBe("find_mcp_tools");
    const found = textOf(await finder!.run({ query: "issue create" }, testContext()));
    expect(found).toContain("github-create_issue (github/create_issue): Opens an issue.");
    expect(deferral.offer([...many, issue], 100_000).map((t) => t.name)).toEqual([
      "github-create_issue",
      "find_mcp_tools",
    ]);
    expect(textOf(await finder!.run({ query: "zzz" }, testContext()))).toMatch(/No tool fits.*400 tools.*many/);
    expect(textOf(await finder!.run({ query: "thing" }, testContext())).split("\n")).toHaveLength(22);
  });

  it("O133 few tools, or never, are offered as they are; always hides even one", () => {
    expect(createDeferral("auto").offer([issue], 100_000)).toEqual([issue]);
    expect(createDeferral("never").offer(many, 1000)).toEqual(many);
    expect(
      createDeferral("always")
        .offer([issue], 100_000)
        .map((t) => t.name),
    ).toEqual(["find_mcp_tools"]);
  });
});
