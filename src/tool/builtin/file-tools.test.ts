// view, create and edit on real files.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../diff.ts";
import { createLedger } from "../ledger.ts";
import { createTool } from "./create.ts";
import { editTool } from "./edit.ts";
import { call, testContext, textOf } from "./test-context.ts";
import { viewTool } from "./view.ts";

function setup() {
  const ledger = createLedger();
  const context = testContext();
  const parts = { ledger, settings: { outputMaxBytes: 20_480 }, images: () => true };
  const path = (name: string) => join(context.cwd, name);
  return {
    context,
    path,
    put: (name: string, content: string | Buffer) => writeFileSync(path(name), content),
    get: (name: string) => readFileSync(path(name), "utf8"),
    view: (args: object) => call(viewTool(parts), args, context),
    viewBlind: (args: object) => call(viewTool({ ...parts, images: () => false }), args, context),
    create: (args: object) => call(createTool(parts), args, context),
    edit: (args: object) => call(editTool(parts), args, context),
    tools: { view: viewTool(parts), create: createTool(parts), edit: editTool(parts) },
  };
}

describe("view", () => {
  it("A6.11 numbers lines, takes ranges, and says where the file ends", async () => {
    const { view, put, path } = setup();
    put("a.txt", "one\r\ntwo\nthree");
    const outcome = await view({ path: "a.txt" });
    expect(textOf(outcome)).toBe("1\tone\n2\ttwo\n3\tthree");
    expect(outcome).toMatchObject({ files: [{ path: path("a.txt"), operation: "view" }] });
    expect(textOf(await view({ path: path("a.txt"), view_range: [2, -1] }))).toBe("2\ttwo\n3\tthree");
    expect(textOf(await view({ path: "a.txt", view_range: [2, 2] }))).toBe("2\ttwo");
    expect(textOf(await view({ path: "a.txt", view_range: [9, 12] }))).toContain("has only 3 lines");
    expect(textOf(await view({ path: "a.txt", view_range: [3, 2] }))).toMatch(/^invalid_inputs/);
    expect(textOf(await view({ path: "none" }))).toMatch(/^not_found/);
    put("empty", "");
    expect(textOf(await view({ path: "empty" }))).toBe("(empty file)");
  });

  it("A6.11 AE9 a long file: up to the bound with the next range, any line reachable, long lines clipped", async () => {
    const { view, put } = setup();
    put("long", Array.from({ length: 200_000 }, (_, i) => `${i + 1}\n`).join(""));
    const first = textOf(await view({ path: "long" }));
    expect(Buffer.byteLength(first)).toBeLessThanOrEqual(20_480);
    const next = /up to line (\d+) of 200000; go on with view_range \[(\d+), -1\]/.exec(first);
    expect(Number(next?.[2])).toBe(Number(next?.[1]) + 1);
    expect(textOf(await view({ path: "long", view_range: [Number(next?.[2]), Number(next?.[2])] }))).toBe(
      `${next?.[2]}\t${next?.[2]}`,
    );
    expect(textOf(await view({ path: "long", view_range: [123_456, 123_456] }))).toBe("123456\t123456");
    put("wide", `${"x".repeat(50_000)}\nend\n`);
    const wide = textOf(await view({ path: "wide" }));
    expect(wide.split("\n")[0]?.length).toBeLessThan(2100);
    expect(wide).toContain("50000 bytes in this line");
    expect(wide.split("\n")[1]).toBe("2\tend");
  });

  it("AB12 a file of 2 GB gives its first lines at once; a pipe, a device and a binary file are refused", async () => {
    const { view, put, path, context } = setup();
    put("huge", "first\nsecond\n");
    truncateSync(path("huge"), 2 * 1024 ** 3);
    writeFileSync(path("huge"), "x\n".repeat(10_000), { flag: "r+" });
    expect(textOf(await view({ path: "huge", view_range: [1, 2] }))).toBe("1\tx\n2\tx");
    execFileSync("mkfifo", [path("fifo")]);
    expect(textOf(await view({ path: "fifo" }))).toContain("not a regular file");
    const anywhere = { ...context, allowedPath: () => true };
    const { tools } = setup();
    expect(textOf(await call(tools.view, { path: "/dev/zero" }, anywhere))).toContain("not a regular file");
    put("bin", Buffer.from([0x7f, 0x45, 0, 1]));
    expect(textOf(await view({ path: "bin" }))).toContain("binary");
  });

  it("A6.11 an image is attached if the model can see it", async () => {
    const { view, viewBlind, put, path, context } = setup();
    const bytes = Buffer.from("89504e470d0a1a0a0000", "hex");
    put("i.png", bytes);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const kept = join(context.sessionDir, "files", `${sha256}.png`);
    const seen = {
      files: [{ path: path("i.png"), operation: "view" }],
      attachments: [{ kind: "image", path: kept, mediaType: "image/png", bytes: 10 }],
    };
    expect(await view({ path: "i.png" })).toMatchObject(seen);
    expect(await view({ path: "i.png" })).toMatchObject(seen);
    rmSync(path("i.png"));
    expect(readFileSync(kept).equals(bytes)).toBe(true);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    put("i.png", bytes);
    expect(textOf(await viewBlind({ path: "i.png" }))).toContain("cannot see");
  });

  it("A6.11 a folder is shown two levels deep", async () => {
    const { view, path, put } = setup();
    mkdirSync(path("src/deep/deeper"), { recursive: true });
    mkdirSync(path("node_modules/x"), { recursive: true });
    put("src/deep/hidden.ts", "");
    put("src/a.ts", "");
    expect(textOf(await view({ path: "." }))).toBe("./\nnode_modules/\nsrc/\n  a.ts\n  deep/");
  });

  it("A7.6 a link that leads outside is judged by where it leads, at use", async () => {
    const { view, edit, create, path } = setup();
    symlinkSync("/etc", path("door"));
    expect(textOf(await view({ path: "door/hostname" }))).toMatch(/^denied: .*leads to \/etc\/hostname/);
    expect(textOf(await edit({ path: "door/hostname", old_str: "a", new_str: "b" }))).toMatch(/^denied/);
    expect(textOf(await create({ path: "door/new", file_text: "x" }))).toMatch(/^denied/);
    expect(existsSync("/etc/new")).toBe(false);
  });
});

describe("create", () => {
  it("A6.12 makes folders and the whole file, and fails if it exists", async () => {
    const { create, get, path, context, tools } = setup();
    const args = { path: "a/b/c.txt", file_text: "one\ntwo\n" };
    expect(tools.create.permissions(args, context)).toEqual([{ kind: "write", path: path("a/b/c.txt") }]);
    expect(tools.create.preview?.(args, context)).toContain("+one");
    expect(existsSync(path("a"))).toBe(false);
    expect(await create(args)).toMatchObject({
      type: "success",
      files: [{ operation: "create", added: 2, removed: 0 }],
    });
    expect(get("a/b/c.txt")).toBe("one\ntwo\n");
    expect(textOf(await create({ ...args, file_text: "other" }))).toContain("already exists");
    expect(get("a/b/c.txt")).toBe("one\ntwo\n");
    expect(readdirSync(path("a/b"))).toEqual(["c.txt"]);
    expect(statSync(path("a/b/c.txt")).mode & 0o777).toBe(0o666 & ~process.umask());
  });
});

describe("edit", () => {
  it("A6.13 replaces exactly one match and returns a diff; keeps byte order mark, line ends and mode", async () => {
    const { edit, put, get, path, tools, context } = setup();
    put("a.txt", "\ufeffone\r\ntwo\r\nthree\r\n");
    chmodSync(path("a.txt"), 0o755);
    const args = { path: "a.txt", old_str: "one\ntwo", new_str: "one\nnew\ntwo" };
    expect(tools.edit.permissions(args, context)).toEqual([{ kind: "write", path: path("a.txt") }]);
    expect(await tools.edit.preview?.(args, context)).toContain("+new");
    expect(get("a.txt")).toContain("one\r\ntwo");
    const outcome = await edit(args);
    expect(get("a.txt")).toBe("\ufeffone\r\nnew\r\ntwo\r\nthree\r\n");
    expect(statSync(path("a.txt")).mode & 0o777).toBe(0o755);
    expect(outcome).toMatchObject({
      type: "success",
      files: [{ path: path("a.txt"), operation: "edit", added: 1, removed: 0 }],
    });
    expect(textOf(outcome)).toContain("@@ -1,3 +1,4 @@");
  });

  it("A6.13 replace_all replaces every match, and $ in new_str is only a character", async () => {
    const { edit, put, get } = setup();
    put("a.txt", "x x\nx\n");
    await edit({ path: "a.txt", old_str: "x", new_str: "$&", replace_all: true });
    expect(get("a.txt")).toBe("$& $&\n$&\n");
  });

  it("AB11 no match, two matches, nothing to change: failure with reason, bytes unchanged", async () => {
    const { edit, put, get } = setup();
    const text = "function a() {\n    return one;\n}\nreturn 1\nreturn 1\n";
    put("a.ts", text);
    const spaced = textOf(await edit({ path: "a.ts", old_str: "\treturn one;", new_str: "x" }));
    expect(spaced).toContain("0 matches");
    expect(spaced).toContain("white space");
    expect(spaced).toContain("2\t    return one;");
    expect(textOf(await edit({ path: "a.ts", old_str: "function a(x) {", new_str: "x" }))).toContain(
      "1\tfunction a() {",
    );
    expect(textOf(await edit({ path: "a.ts", old_str: "return 1", new_str: "x" }))).toContain(
      "occurs 2 times, at lines 4, 5",
    );
    expect(textOf(await edit({ path: "a.ts", old_str: "", new_str: "x" }))).toContain("empty");
    expect(textOf(await edit({ path: "a.ts", old_str: "return 1", new_str: "return 1" }))).toContain("the same");
    expect(textOf(await edit({ path: "none.ts", old_str: "a", new_str: "b" }))).toMatch(/^not_found/);
    expect(get("a.ts")).toBe(text);
  });

  it("AB11 A6.13 refused when the file changed since the model saw it; allowed again after a view", async () => {
    const { view, edit, put, get } = setup();
    put("a.txt", "one\ntwo\n");
    await view({ path: "a.txt", view_range: [1, 1] });
    put("a.txt", "one\ntwo\nfrom outside\n");
    expect(textOf(await edit({ path: "a.txt", old_str: "one", new_str: "1" }))).toContain(
      "changed since you last saw it",
    );
    expect(get("a.txt")).toBe("one\ntwo\nfrom outside\n");
    await view({ path: "a.txt" });
    expect((await edit({ path: "a.txt", old_str: "one", new_str: "1" })).type).toBe("success");
    expect((await edit({ path: "a.txt", old_str: "two", new_str: "2" })).type).toBe("success");
    expect(get("a.txt")).toBe("1\n2\nfrom outside\n");
  });

  it("a file that is not UTF-8 is never rewritten", async () => {
    const { edit, put, path } = setup();
    const bytes = Buffer.from([0x61, 0xe4, 0x62]);
    put("latin", bytes);
    expect(textOf(await edit({ path: "latin", old_str: "a", new_str: "b" }))).toContain("not UTF-8");
    expect(readFileSync(path("latin")).equals(bytes)).toBe(true);
  });

  it("A5.3 changes of one file share a lane", () => {
    const { tools, context, path } = setup();
    const a = tools.edit.lane?.({ path: "a.txt" }, context);
    expect(a).toBe(tools.create.lane?.({ path: path("x/../a.txt") }, context));
    expect(a).not.toBe(tools.edit.lane?.({ path: "b.txt" }, context));
  });
});

describe("unifiedDiff", () => {
  it("is accepted by patch and gives the new text, for any two texts", () => {
    const { context } = setup();
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "", "d e"), { maxLength: 30 })
      .chain((lines) => fc.constantFrom(lines.join("\n"), `${lines.join("\n")}\n`));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { text: diff } = unifiedDiff("f", before, after);
        writeFileSync(join(context.cwd, "f"), before);
        if (diff === "") {
          expect(before).toBe(after);
          return;
        }
        execFileSync("git", ["apply", "--unidiff-zero", "--whitespace=nowarn", "-p0", "-"], {
          cwd: context.cwd,
          input: `${diff}\n`,
        });
        const file = join(context.cwd, "f");
        expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(after);
      }),
      { numRuns: 60 },
    );
  });
});
