// Lines about tool calls, as a person reads them.
import { expect, it } from "vitest";
import { readQuestion } from "../../model/offline/question.ts";
import { firstSearch } from "../../model/offline/search-plan.ts";
import { toolLine } from "./tool-line.ts";

const line = (name: string, args: unknown) => toolLine(name, args, (text) => text.replaceAll("hunter2", "[redacted]"));

it("N50 a tool line says what a call is about; tools of others show their arguments", () => {
  expect(line("view", { path: "src/a.ts", view_range: [3, 9] })).toBe("• view src/a.ts, lines 3 to 9");
  expect(line("view", { path: "src/a.ts", view_range: [3, -1] })).toBe("• view src/a.ts, from line 3");
  expect(line("bash", { command: "npm test &&\n  npm run lint" })).toBe("• bash npm test && npm run lint");
  expect(line("edit", { path: "a.md", old_str: "x", new_str: "y" })).toBe("• edit a.md");
  expect(line("grep", { pattern: "port\\s*=", glob: "*.py" })).toBe("• grep port\\s*= in *.py");
  expect(line("glob", { pattern: "src/{a,b}.ts" })).toBe("• glob src/{a,b}.ts");
  expect(line("glob", { pattern: "{a,b,c,d,e}" })).toBe("• glob a, b, c and 2 other names");
  expect(line("tickets_find", { id: 4 })).toBe('• tickets_find {"id":4}');
  expect(line("view", { path: 7 })).toBe('• view {"path":7}');
});

it("N50 secrets and control characters are not shown, whatever the tool", () => {
  expect(line("bash", { command: "login hunter2\u001b[2J" })).toBe("• bash login [redacted]\\x1b[2J");
  expect(line("tickets_find", { key: "hunter2" })).toBe('• tickets_find {"key":"[redacted]"}');
  expect(line("bash", { command: "x".repeat(500) }).length).toBeLessThan(170);
});

it("N50 the offline model's searches are shown in words, not as regular expressions", () => {
  const lines = (prompt: string) => firstSearch(readQuestion(prompt)).map(({ name, args }) => line(name, args));
  expect(lines("where is the port set?").filter((one) => one.startsWith("• grep"))).toEqual([
    "• grep what is called port, in code",
    "• grep port, in documents",
    "• grep port",
  ]);
  expect(lines("who calls send_alert?").slice(0, 2)).toEqual([
    "• grep where send_alert is defined",
    "• grep send_alert",
  ]);
  expect(lines("how are orchard deliveries weighed?").join("\n")).not.toMatch(/\\[bsw]|\(\?/);
});
