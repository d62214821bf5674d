// Names of MCP tools: valid, unique, and a pure function of the set.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ToolKey, toolNames } from "./name.ts";

const names = (tools: ToolKey[]) => tools.map(toolNames(tools));

describe("toolNames", () => {
  it("O134 is server-tool where that is valid", () => {
    expect(names([{ server: "github", tool: "list_issues" }])).toEqual(["github-list_issues"]);
  });

  it("OB18 B72 emoji, spaces, 200 characters and names that become equal are told apart within 64 characters", () => {
    const long = "x".repeat(200);
    const found = names([
      { server: "s", tool: "🚀 go" },
      { server: "s", tool: long },
      { server: "s", tool: `${long}y` },
      { server: "s", tool: "a b" },
      { server: "s", tool: "a.b" },
      { server: "1st", tool: "t" },
    ]);
    expect(found[0]).toBe("s-__go");
    expect(found.slice(1, 3).every((n) => n?.length === 64)).toBe(true);
    expect(found[3]).toMatch(/^s-a_b-[0-9a-f]{8}$/);
    expect(found[5]).toBe("_1st-t");
    expect(new Set(found).size).toBe(6);
  });

  it("O134 a name that looks like another one's hash does not take it", () => {
    const [first] = names([
      { server: "s", tool: "a b" },
      { server: "s", tool: "a.b" },
    ]);
    const tools = [
      { server: "s", tool: "a b" },
      { server: "s", tool: "a.b" },
      { server: "s", tool: first!.slice(2) },
    ];
    expect(new Set(names(tools)).size).toBe(3);
  });

  it("OI13 valid, at most 64 characters, unique, whatever the order", () => {
    const word = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.array(fc.constantFrom("a", "-", "_", ".", " ", "/"), { maxLength: 6 }).map((all) => all.join("")),
    );
    const key = fc.record({ server: word, tool: word });
    const set = fc.uniqueArray(key, { selector: (k) => JSON.stringify([k.server, k.tool]), maxLength: 40 });
    fc.assert(
      fc.property(set, (tools) => {
        const nameOf = toolNames(tools);
        const found = tools.map(nameOf);
        for (const name of found) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
        expect(new Set(found).size).toBe(tools.length);
        const again = toolNames([...tools].reverse());
        expect(tools.map(again)).toEqual(found);
      }),
    );
  });
});
