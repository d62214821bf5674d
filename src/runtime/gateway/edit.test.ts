// Editing with a real program as the editor.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fail, ok } from "../../base/result.ts";
import { editText } from "./edit.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "everlong-edit-"));
  const editor = join(home, "editor.sh");
  writeFileSync(editor, '#!/bin/sh\nprintf " and more" >> "$1"\n');
  chmodSync(editor, 0o700);
  vi.stubEnv("EVERLONG_HOME", home);
  vi.stubEnv("VISUAL", editor);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});
const left = () => readdirSync(join(home, "with"));

describe("--edit (X101)", () => {
  it("gives what the editor left, and leaves no file", async () => {
    expect(await editText("text", async (edited) => ok(edited))).toEqual(ok("text and more"));
    expect(left()).toEqual([]);
  });
  it("a text that could not be saved is kept, and said where", async () => {
    const stale = { code: "stale", what: "It was changed.", next: "Read it again.", exit: 1 as const };
    const done = await editText("text", async () => fail(stale));
    const [name] = left();
    expect(done).toMatchObject({ ok: false, error: { code: "stale", next: expect.stringContaining(name!) } });
    expect(readFileSync(join(home, "with", name!), "utf8")).toBe("text and more");
  });
  it("an editor that fails changes nothing", async () => {
    vi.stubEnv("VISUAL", "false");
    const saved: string[] = [];
    const done = await editText("text", async (edited) => ok(saved.push(edited)));
    expect(done).toMatchObject({ ok: false, error: { code: "not_edited" } });
    expect(saved).toEqual([]);
  });
});
