// Which scope a promotion belongs to when nobody names one.
import { describe, expect, it } from "vitest";
import { directivesIn } from "./directive.ts";
import { scopeOf } from "./kind.ts";

describe("the scope of a promotion", () => {
  it("GC34 decisions, procedures and tasks are the workspace's; the others the user's only where the text says so", () => {
    for (const kind of ["decision", "procedure", "task_update"] as const)
      expect(scopeOf(kind, "I prefer it across all my projects"), kind).toBe("workspace");
    for (const text of [
      "I prefer tabs",
      "my workflow is trunk based",
      "in general, small steps",
      "the same across repos",
    ])
      expect(scopeOf("preference", text), text).toBe("user");
    for (const text of [
      "tabs",
      "I prefer tabs in this repo",
      "my setup here",
      "We prefer tabs",
      "a preference for tabs",
    ])
      expect(scopeOf("preference", text), text).toBe("workspace");
    expect(scopeOf("terminology", "my terminology: a run is a job")).toBe("user");
  });

  it("GC34 GC32 the marker wins over what the text says", () => {
    const scopes = directivesIn("preference (workspace): I prefer tabs\ndecision (user): use tabs").map(
      ({ scope }) => scope,
    );
    expect(scopes).toEqual(["workspace", "user"]);
  });
});
