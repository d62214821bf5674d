import { describe, expect, it } from "vitest";
import { ok } from "../base/result.ts";
import { type SettingChange, type UpdateFile, writeSetting } from "./write.ts";

function fileOf(text: string | undefined): { update: UpdateFile; text: () => string | undefined } {
  let now = text;
  return {
    text: () => now,
    update: async (_path, change) => {
      const next = await change(now);
      if (next.ok) now = next.value;
      return next.ok ? ok(undefined) : next;
    },
  };
}
const set = (file: { update: UpdateFile }, key: string, text?: string, more: Partial<SettingChange> = {}) =>
  writeSetting(
    { path: "/h/settings.json", layer: "user", key, ...(text === undefined ? {} : { text }), ...more },
    file.update,
  );

describe("writing a setting", () => {
  it("A1.3 keeps comments, order and unknown keys", async () => {
    const file = fileOf('{\n  // mine\n  "foo": 1, // kept\n  "turn": { "maxSteps": 5 }\n}\n');
    expect((await set(file, "turn.maxSteps", "7")).ok).toBe(true);
    expect((await set(file, "offline", "yes")).ok).toBe(true);
    expect(file.text()).toBe(
      '{\n  // mine\n  "foo": 1, // kept\n  "turn": {\n    "maxSteps": 7\n  },\n  "offline": true\n}\n',
    );
  });

  it("makes a missing file, changes a dotted key in place, removes a key", async () => {
    const fresh = fileOf(undefined);
    await set(fresh, "bash.waitSeconds", "2.5");
    expect(JSON.parse(fresh.text() ?? "")).toEqual({ bash: { waitSeconds: 2.5 } });
    const dotted = fileOf('{"turn.maxSteps": 5}');
    await set(dotted, "turn.maxSteps", "6");
    expect(JSON.parse(dotted.text() ?? "")).toEqual({ "turn.maxSteps": 6 });
    await set(dotted, "turn.maxSteps");
    expect(JSON.parse(dotted.text() ?? "")).toEqual({});
  });

  it("reads lists and rules as JSON or as one text", async () => {
    const file = fileOf("{}");
    await set(file, "permissions.deny", '["shell(rm)", "url"]');
    await set(file, "permissions.ask", "shell(a,b)");
    await set(file, "tool.exclude", "view,grep");
    expect(JSON.parse(file.text() ?? "")).toEqual({
      permissions: { deny: ["shell(rm)", "url"], ask: ["shell(a,b)"] },
      tool: { exclude: ["view", "grep"] },
    });
  });

  it("A1.6 B61 refuses what is wrong and leaves the file alone", async () => {
    const file = fileOf('{"turn": 5');
    const good = fileOf('{"turn": 5}');
    for (const result of [
      await set(file, "turn.maxSteps", "7"),
      await set(good, "turn.maxSteps", "7"),
      await set(good, "turn.maxSteps", "-1"),
      await set(good, "turn.maxStep", "1"),
      await set(good, "home", "/x"),
      await set(good, "provider.baseUrl", "http://x", { layer: "project" }),
      await set(good, "permissions.allow", "nope", { checkRule: () => "no such kind" }),
    ]) {
      expect(result).toMatchObject({ ok: false, error: { exit: 2 } });
    }
    expect([file.text(), good.text()]).toEqual(['{"turn": 5', '{"turn": 5}']);
  });
});
