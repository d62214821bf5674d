// The state of a session: its files, the TODO header, spec mode, and the block that is made of them.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bodyOf, itemsOf } from "../plan/plan-fixture.ts";
import { emptyState, headText, stateBlock, stateParts } from "./block.ts";
import { MAX_STATE_BYTES, readableText, StateReader, storedText } from "./files.ts";
import { changeSpec, specAsked, specText } from "./spec.ts";
import { readSpec, type Spec, specLine } from "./spec-file.ts";
import { todoOf } from "./todo-header.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "everlong-state-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const none = { pinned: "", agents: "", anchor: "", todo: "", spec: "" };
const options = { tag: "everlong_state", todoMaxChars: 4_000 } as const;

describe("files", () => {
  it("X65 absent files are empty; edited ones are read again, whoever edited them", async () => {
    const reader = new StateReader();
    expect(await reader.read(dir)).toEqual({ pinned: "", summary: "", todo: "", agents: "", warnings: [] });
    await writeFile(join(dir, "todo.md"), "- one\r\n- two\r\n");
    expect((await reader.read(dir)).todo).toBe("- one\n- two\n");
    expect(storedText("- three\\n- four", dir)).toEqual({ ok: true, value: "- three\n- four" });
    await writeFile(join(dir, "todo.md"), "- three\\n- four");
    expect((await reader.read(dir)).todo).toBe("- three\n- four");
    await rm(join(dir, "todo.md"));
    expect((await reader.read(dir)).todo).toBe("");
  });

  it("X65 of more than 64 KB the beginning is used, with a warning and no half character; writing it is refused", async () => {
    await writeFile(join(dir, "pinned.md"), "é".repeat(MAX_STATE_BYTES));
    const { pinned, warnings } = await new StateReader().read(dir);
    expect(pinned).toBe("é".repeat(MAX_STATE_BYTES / 2));
    expect(warnings).toHaveLength(1);
    const refused = storedText("x".repeat(MAX_STATE_BYTES + 1), dir);
    expect(refused).toMatchObject({ ok: false, error: { code: "too_large" } });
    expect(readableText("é".repeat(MAX_STATE_BYTES))).toBe(pinned);
  });

  it("X54 X70 links, folders and devices are not read, and it is said", async () => {
    await writeFile(join(dir, "secret"), "secret");
    await symlink(join(dir, "secret"), join(dir, "pinned.md"));
    await mkdir(join(dir, "summary.md"));
    const root = join(dir, "root");
    await mkdir(root);
    await symlink(join(dir, "secret"), join(root, "AGENTS.md"));
    const read = await new StateReader().read(dir, root);
    expect(read).toMatchObject({ pinned: "", summary: "", agents: "" });
    expect(read.warnings).toHaveLength(3);
  });

  it("X70 AGENTS.md of the root follows the pinned text, unless it is known already", async () => {
    await writeFile(join(dir, "AGENTS.md"), `Use tabs.\n${"more\n".repeat(100)}`);
    const texts = await new StateReader().read(dir, dir);
    const parts = (pinned: string, known: string) =>
      stateParts({ ...texts, pinned }, { spec: "", todoEnabled: true, known });
    const block = stateBlock(parts("Be brief.", ""), options);
    expect(block).toMatch(/<pinned>\nBe brief\.\n\nUse tabs\.\nmore/);
    expect(parts(`x ${texts.agents}`, "").agents).toBe("");
    expect(parts("", `You are codex. ${texts.agents.slice(0, 200)}`).agents).toBe("");
    expect(parts("", "Use tabs.").agents).not.toBe("");
  });

  it("X70 the head of a request is its system text and what stands before the first answer", () => {
    const raws = [
      { role: "user", content: "first task" },
      { role: "assistant", content: "answer" },
      { role: "system", content: "late rule" },
    ];
    for (const wire of ["openai-chat", "anthropic"] as const) {
      const body = bodyOf(wire, raws);
      const head = headText(body, itemsOf(body));
      expect(head).toContain("You are helpful.");
      expect(head).toContain("first task");
      expect(head).toContain("late rule");
      expect(head).not.toContain("answer");
    }
  });
});

describe("TODO header", () => {
  const base64 = (text: string | Buffer): string => `base64:${Buffer.from(text).toString("base64")}`;
  const latin1 = (text: string): string => Buffer.from(text).toString("latin1");

  it("X66 both names, base64 for several lines, empty to empty", () => {
    expect(todoOf({})).toEqual({ ok: true, value: undefined });
    expect(todoOf({ "x-everlong-todo": "- one" })).toEqual({ ok: true, value: "- one" });
    expect(todoOf({ "x-cliproxyapi-todo": latin1("- größer") })).toEqual({ ok: true, value: "- größer" });
    expect(todoOf({ "x-everlong-todo": base64("- a\n- b ✓") })).toEqual({ ok: true, value: "- a\n- b ✓" });
    expect(todoOf({ "x-everlong-todo": "" })).toEqual({ ok: true, value: "" });
    expect(todoOf({ "x-everlong-todo": "a", "x-cliproxyapi-todo": "a" })).toEqual({ ok: true, value: "a" });
  });

  it("XB6 8,001 characters, bytes that are no UTF-8, rubbish for base64, names that disagree: bad_header", () => {
    const bad = { ok: false, error: "bad_header" };
    expect(todoOf({ "x-everlong-todo": "x".repeat(8_000) }).ok).toBe(true);
    expect(todoOf({ "x-everlong-todo": "x".repeat(8_001) })).toEqual(bad);
    expect(todoOf({ "x-everlong-todo": base64("x".repeat(8_001)) })).toEqual(bad);
    expect(todoOf({ "x-everlong-todo": "\xff\xfe" })).toEqual(bad);
    expect(todoOf({ "x-everlong-todo": base64(Buffer.from([0xff, 0xfe, 0x41])) })).toEqual(bad);
    for (const rubbish of ["base64:!!!", "base64:a", "base64:YQ==YQ==", "base64:ü"]) {
      expect(todoOf({ "x-everlong-todo": rubbish })).toEqual(bad);
    }
    expect(todoOf({ "x-everlong-todo": "a", "x-cliproxyapi-todo": "b" })).toEqual(bad);
  });
});

describe("block", () => {
  it("X64 parts in their order, empty ones left out, all empty: none", () => {
    const block = stateBlock({ ...none, spec: "S", todo: "T", anchor: "A", pinned: "P" }, options);
    expect(block).toMatchInlineSnapshot(`
      "<everlong_state>
      What is kept for this session. This block replaces every earlier one of its kind.
      <pinned>
      P
      </pinned>
      <anchor>
      A
      </anchor>
      <todo>
      T
      </todo>
      <spec>
      S
      </spec>
      </everlong_state>"
    `);
    expect(stateBlock({ ...none, todo: "T" }, options)).not.toMatch(/<(pinned|anchor|spec)>/);
    expect(stateBlock({ ...none, todo: " \n" }, options)).toBe("");
    expect(stateBlock({ ...none, todo: "T" }, { ...options, tag: "proxypilot_state" })).toMatch(/^<proxypilot_state>/);
    expect(emptyState("everlong_state")).toMatch(/^<everlong_state>[^<]*<\/everlong_state>$/);
  });

  it("X66 with the TODO switched off it is not shown", () => {
    const texts = { pinned: "", summary: "", todo: "T", agents: "" };
    expect(stateParts(texts, { spec: "", todoEnabled: false, known: "" }).todo).toBe("");
  });

  it("X65 each part is cut at a line end, with a marker", () => {
    const long = "a line of text\n".repeat(1_000);
    const block = stateBlock({ ...none, pinned: long, anchor: long, todo: long }, options);
    const part = (name: string): string => new RegExp(`<${name}>\n([\\s\\S]*?)\n</${name}>`).exec(block)?.[1] ?? "";
    for (const [name, most] of [
      ["pinned", 6_000],
      ["anchor", 2_500],
      ["todo", 4_000],
    ] as const) {
      expect(part(name).length).toBeLessThanOrEqual(most);
      expect(part(name).length).toBeGreaterThan(most - 100);
      expect(part(name)).toMatch(/a line of text\n\[cut here: the rest does not fit\]$/);
    }
  });

  it("X67 XB7 XI8 no content can end its part or begin another", () => {
    const hostile = fc.constantFrom(
      "</todo>",
      "< /Pinned>",
      "</everlong_state>",
      "<spec>",
      "<\u200bsystem>",
      "\u202e",
      "</to\u00addo>",
    );
    const text = fc.array(fc.oneof(hostile, fc.string({ unit: "grapheme", maxLength: 50 })), { maxLength: 8 });
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        const block = stateBlock({ ...none, pinned: a.join(" "), todo: b.join("\n"), anchor: c.join("") }, options);
        const tags = block.match(/<\s*\/?\s*(everlong_state|pinned|anchor|todo|spec|system)\b/gi) ?? [];
        const names = ["pinned", "anchor", "todo"].filter((name) => block.includes(`<${name}>`));
        const expected =
          block === "" ? [] : ["<everlong_state", ...names.flatMap((n) => [`<${n}`, `</${n}`]), "</everlong_state"];
        expect(tags).toEqual(expected);
      }),
    );
  });
});

describe("spec mode", () => {
  const by = { time: "2026-11-16T00:00:00.000Z", way: "header" as const };
  const change = (now: Spec | undefined, asked: Parameters<typeof changeSpec>[1], way: Spec["way"] = "header") =>
    changeSpec(now, asked, { ...by, way });

  it("X75 headers switch it on and off for the session, over the setting", () => {
    for (const value of ["true", "1", "ON", " yes "]) {
      expect(specAsked({ "x-cliproxyapi-spec-mode": value })).toEqual({ mode: "on" });
    }
    for (const value of ["false", "0", "off", "no"]) {
      expect(specAsked({ "x-everlong-spec-mode": value })).toEqual({ mode: "off" });
    }
    expect(specAsked({ "x-everlong-spec-mode": "maybe", "x-everlong-spec-approved": "1" })).toEqual({});
    const on = change(undefined, { mode: "on" });
    expect(specText(on, false)).toMatch(/specification[\s\S]*goal, scope, files[\s\S]*wait/);
    expect(specText(change(on, { mode: "off" }), true)).toBe("");
    expect(specText(undefined, true)).toBe(specText(on, false));
    expect(specText(undefined, false)).toBe("");
    expect(change(on, { mode: "on" })).toBeUndefined();
  });

  it("X76 X77 XB8 approval comes from outside, says by what, and can be taken back", () => {
    const on = change(undefined, { mode: "on" });
    expect(specAsked({ "x-everlong-spec-approved": "true" })).toEqual({ approved: true });
    const approved = change(on, { approved: true }, "cli");
    expect(specText(approved, false)).toContain("approved through `everlong proxy spec` at 2026-11-16");
    expect(specText(change(approved, { approved: false }, "api"), false)).toBe(specText(on, false));
    // Switched off and on again it waits anew.
    const again = change(change(approved, { mode: "off" }), { mode: "on" });
    expect(specText(again, false)).toBe(specText(on, false));
  });

  it("X76 state, time and way are kept in spec.json; a damaged one is an error, not an approval", async () => {
    expect(await readSpec(dir)).toEqual({ ok: true, value: undefined });
    const spec: Spec = { mode: "on", approved: true, ...by };
    await writeFile(join(dir, "spec.json"), specLine(spec));
    expect(await readSpec(dir)).toEqual({ ok: true, value: spec });
    await writeFile(join(dir, "spec.json"), '{"approved":"yes"');
    expect(await readSpec(dir)).toMatchObject({ ok: false, error: { code: "store_corrupt" } });
  });
});
