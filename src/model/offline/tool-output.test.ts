// Reading the printed results of tools, in the forms that they may have.
import { describe, expect, it } from "vitest";
import { grepLines, pathLines, recalled, viewLines } from "./tool-output.ts";

describe("tool results", () => {
  it("A3.3 grep: path, line and text; notes and cut marks are no evidence", () => {
    const output =
      "src/a b.ts:12:const x = { y: 1 };\n--\n[… first 80 results, 5 more]\n./c.md:3:long [... omitted end of long line]";
    expect(grepLines(output)).toEqual([
      { path: "src/a b.ts", line: 12, text: "const x = { y: 1 };" },
      { path: "c.md", line: 3, text: "long" },
    ]);
  });

  it("A3.3 glob: one path a line, nothing else", () => {
    expect(
      pathLines("src/a.ts\n./Makefile\ndocs/my notes.md\n[… the newest 200 of 300 files]\nNo files match."),
    ).toEqual(["src/a.ts", "Makefile", "docs/my notes.md"]);
  });

  it.each(["12\t  text", "    12\t  text", "12.   text", "12:   text", "12 |   text"])("A3.3 view: %j", (row) => {
    expect(viewLines("a.ts", row)).toEqual([{ path: "a.ts", line: 12, text: "  text" }]);
  });

  it("A3.4 recall: every form of a source, with its date; cut windows are taken apart", () => {
    const output = [
      "2 results",
      "- session abc t3 (2025-01-02, user): The port is 1.",
      "[old:t4.1] 2025-01-03T10:00:00Z assistant — The port is 2.",
      "memory mem_1",
      "  The port is 3.",
      "board deploy-notes: The port is 4.",
      "t7",
      "…first window\n…\nsecond window…",
    ].join("\n");
    expect(recalled(output, "here")).toEqual([
      { source: "session abc t3", date: "2025-01-02", text: "The port is 1." },
      { source: "session old t4.1", date: "2025-01-03", time: "2025-01-03T10:00:00", text: "The port is 2." },
      { source: "memory mem_1", text: "The port is 3." },
      { source: "board deploy-notes", text: "The port is 4." },
      { source: "session here t7", text: "first window" },
      { source: "session here t7", text: "second window" },
    ]);
  });

  it("A3.4 G18 recall: a fact with its id and date; one that has ended is no answer", () => {
    const output =
      "[112fbd11-1c86-4dd3-bfbc-bb6025865e85] fact, 2026-11-17T18:02:02.641Z\nThe port is now 9090.\n\n" +
      "[79b2f871-2fd1-458d-8926-0cc6fe377a1e] ended fact, 2026-11-16T18:02:02.641Z\nThe port is now 8080.";
    expect(recalled(output, "s")).toEqual([
      { source: "fact 112fbd11", date: "2026-11-17", time: "2026-11-17T18:02:02.641", text: "The port is now 9090." },
    ]);
  });

  it("A3.4 recall: an old search is no evidence, whole or in part; what another tool was called with is", () => {
    const output = [
      "session s1 t1 (tool, 2026-11-17)",
      "grep",
      "pattern: (?i:retr)|[a-z0-9]Retr",
      "description: retry or limit",
      "output_mode: content",
      "",
      "session s1 t2 (tool, 2026-11-17)",
      "…description: retry and limit\noutput_mode: content\nhead_limit: 80",
      "",
      "session s1 t3 (tool, 2026-11-17)",
      "bash",
      "command: npm run retry",
    ].join("\n");
    expect(recalled(output, "s2")).toEqual([
      { source: "session s1 t3", date: "2026-11-17", isOutput: true, text: "bash\ncommand: npm run retry" },
    ]);
  });

  it("AI10 what an old answer quoted is not taken for a passage of the session it quoted", () => {
    const output = [
      "session s1 t4.12 (assistant, 2026-11-17)",
      "Best matches first:",
      "",
      "session s1 t3.1 (2026-11-17)",
      "```",
      "summary: remember a fact",
      "```",
      "",
      "session s1 t3.1 (user, 2026-11-17)",
      "remember that we deploy on Fridays",
    ].join("\n");
    const passages = recalled(output, "s2");
    expect(passages.map(({ source }) => source)).toEqual(["session s1 t4.12", "session s1 t3.1"]);
    expect(passages[1]?.text).toBe("remember that we deploy on Fridays");
  });
});
