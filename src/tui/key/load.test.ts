// keys.json changes what it may of the table of keys, and says what it cannot.
import { expect, it } from "vitest";
import { keyTable } from "../../command/key-table.ts";
import { defaultKeys, loadKeys } from "./load.ts";

it("F39 no key has two actions by default", () => {
  const keys = keyTable.flatMap((row) => row.keys);
  expect(new Set(keys).size).toBe(keys.length);
});

it("F39 keys.json rebinds an action; its new key leaves the action that had it", () => {
  const { bindings, notices } = loadKeys('{ "externalEditor": "Ctrl-T", "exit": ["ctrl+q"] }');
  expect(notices).toEqual([]);
  expect(bindings["ctrl+t"]).toBe("externalEditor");
  expect(bindings["ctrl+q"]).toBe("exit");
  expect(bindings["ctrl+d"]).toBeUndefined();
  expect(bindings["enter"]).toBe("submit");
});

it("F39 FB10 an unknown action, a key bound twice and a wrong value are told with their line; defaults stay", () => {
  const { bindings, notices } = loadKeys(
    '{\n  "fly": "f",\n  "mode": "ctrl+x",\n  "redraw": "ctrl+x",\n  "todos": 7\n}',
  );
  expect(notices).toHaveLength(3);
  expect(notices[0]).toMatch(/line 2: "fly" is not an action/);
  expect(notices.join("\n")).toMatch(/line 5: "todos"/);
  expect(notices.join("\n")).toMatch(/line 4: "ctrl\+x" is already bound to "mode"/);
  expect(bindings["ctrl+x"]).toBe("mode");
  expect(bindings["ctrl+l"]).toBe("redraw");
  expect(bindings["ctrl+t"]).toBe("todos");
  expect(loadKeys("{ not json").bindings).toEqual(defaultKeys.bindings);
  expect(loadKeys("{ not json").notices[0]).toContain("The default keys are used.");
});
