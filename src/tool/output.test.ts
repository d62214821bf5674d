// The output bound: never passed, and nothing lost.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { boundText, Output, outputFile } from "./output.ts";
import { OutputFolder } from "./output-folder.ts";

const dir = mkdtempSync(join(tmpdir(), "everlong-output-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
let n = 0;
const fresh = () => outputFile(dir, `call_${++n}`);
const MAX = 20_480;
const BOUNDS = { maxFileBytes: 64 * 1024 ** 2, maxFolderBytes: 1024 ** 3 };
const folder = new OutputFolder(join(dir, "outputs"), BOUNDS);

describe("the output bound", () => {
  it("A6.3 text within the bound is given as it is, without a file", () => {
    const bounded = boundText("one\ntwo\n", { maxBytes: MAX, file: fresh(), folder });
    expect(bounded).toEqual({ content: "one\ntwo\n", bytes: 8, lines: 2 });
    expect(
      boundText("x".repeat(80).concat("\n").repeat(256).slice(0, MAX), { maxBytes: MAX, file: fresh(), folder })
        .outputFile,
    ).toBeUndefined();
  });

  it("A6.3 longer text: first and last 4 KiB cut at lines, totals, path; the whole in the file", () => {
    const text = Array.from({ length: 200_000 }, (_, i) => `${i + 1}\n`).join("");
    const file = fresh();
    const bounded = boundText(text, { maxBytes: MAX, file, folder });
    expect(bounded).toMatchObject({ outputFile: file, bytes: text.length, lines: 200_000 });
    const parts = bounded.content.split("\n");
    const note = parts.findIndex((l) => l.startsWith("[…"));
    expect(parts[0]).toBe("1");
    expect(parts.slice(0, note)).toEqual(Array.from({ length: note }, (_, i) => `${i + 1}`));
    expect(parts.slice(0, note).join("\n").length).toBeGreaterThan(4000);
    expect(parts.at(-1)).toBe("200000");
    expect(parts.slice(note + 1).join("\n").length).toBeGreaterThan(4000);
    expect(parts[note]).toContain(`${text.length} bytes, 200000 lines`);
    expect(parts[note]).toContain(file);
    expect(parts[note]).toContain("view_range");
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("A6.3 removes terminal codes, replaces invalid bytes, clips long lines and keeps the raw bytes of those", () => {
    const output = new Output({ maxBytes: MAX, file: fresh(), folder });
    output.append(Buffer.from("\u001b[31mred\u001b[0m \u001b]0;title\u0007"));
    output.append(Buffer.from([0xff, 0x0a]));
    expect(output.excerpt().text).toBe("red \ufffd\n");
    const raw = `${"é".repeat(3000)}\nshort\n`;
    const bounded = boundText(raw, { maxBytes: MAX, file: fresh(), folder });
    const [first, second] = bounded.content.split("\n");
    expect(first).toBe(`${"é".repeat(2000)}[… 1000 more characters in this line]`);
    expect(second).toBe("short");
    expect(readFileSync(bounded.outputFile ?? "", "utf8")).toBe(raw);
  });

  it("AI9 no excerpt over its bound, and the file equals the output, for any bytes in any pieces", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.string({ unit: "binary", maxLength: 2000 }).map((s) => Buffer.from(s)),
      fc.nat(9000).map((k) => Buffer.alloc(k, 0xff)),
      fc.nat(9000).map((k) => Buffer.from("😀".repeat(k))),
      fc.nat(3000).map((k) => Buffer.from("line of text\n".repeat(k))),
      fc.nat(3000).map((k) => Buffer.from("\u001b[1m".repeat(k))),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.integer({ min: 1024, max: MAX }),
        fc.nat(7),
        (pieces, maxBytes, at) => {
          const output = new Output({ maxBytes, file: fresh(), folder });
          let mark = output.mark();
          pieces.forEach((p, i) => {
            output.append(Buffer.from(p));
            if (i === at) mark = output.mark();
          });
          const raw = Buffer.concat(pieces);
          for (const excerpt of [output.excerpt(), output.excerpt(mark)]) {
            expect(Buffer.byteLength(excerpt.text)).toBeLessThanOrEqual(maxBytes);
            if (excerpt.outputFile) expect(readFileSync(excerpt.outputFile).equals(raw)).toBe(true);
          }
          expect(output.excerpt().bytes).toBe(raw.length);
          if (raw.length > maxBytes) expect(output.excerpt().outputFile).toBeDefined();
          output.close();
        },
      ),
      { numRuns: 300 },
    );
  });

  it("reads on from a mark, also beyond what is held in memory", () => {
    const output = new Output({ maxBytes: 2000, file: fresh(), folder });
    output.append(Buffer.from("a\n".repeat(5000)));
    const mark = output.mark();
    expect(output.excerpt(mark)).toEqual({ text: "", bytes: 0, lines: 0 });
    output.append(Buffer.from("new\n"));
    output.close();
    expect(output.excerpt(mark)).toEqual({ text: "new\n", bytes: 4, lines: 1 });
  });

  it("AB13 the file stops at its limit with a note, the counting goes on", () => {
    const file = fresh();
    const output = new Output({
      maxBytes: 2000,
      file,
      folder: new OutputFolder(join(dir, "outputs"), { ...BOUNDS, maxFileBytes: 10_000 }),
    });
    for (let i = 0; i < 100; i++) output.append(Buffer.from(`${"y".repeat(999)}\n`));
    const { text, bytes, lines } = output.excerpt();
    expect(statSync(file).size).toBe(10_000);
    expect({ bytes, lines }).toEqual({ bytes: 100_000, lines: 100 });
    expect(text).toContain("its first 10000 bytes");
  });

  it("a folder that cannot be written costs the file, not the result", () => {
    const blocked = join(dir, "blocked");
    writeFileSync(blocked, "");
    chmodSync(blocked, 0o400);
    const bounded = boundText("z\n".repeat(50_000), { maxBytes: 4000, file: outputFile(blocked, "x"), folder });
    expect(bounded.outputFile).toBeUndefined();
    expect(bounded.content).toContain("could not be saved");
  });

  it("an id never leaves the folder, and an existing file is never overwritten", () => {
    const bad = outputFile(dir, "../../etc/passwd");
    expect(bad.startsWith(join(dir, "outputs/"))).toBe(true);
    expect(bad.slice(join(dir, "outputs/").length)).not.toContain("/");
    expect(outputFile(dir, "a/b")).not.toBe(outputFile(dir, "a_b"));
    const file = fresh();
    const one = boundText("1\n".repeat(5000), { maxBytes: 2000, file, folder });
    const two = boundText("2\n".repeat(5000), { maxBytes: 2000, file, folder });
    expect(one.outputFile).toBe(file);
    expect(two.outputFile).not.toBe(file);
    expect(readFileSync(file, "utf8").startsWith("1")).toBe(true);
    expect(existsSync(two.outputFile ?? "")).toBe(true);
    expect(readdirSync(join(dir, "outputs")).length).toBeGreaterThan(2);
  });
});

describe("N16 the outputs of a session", () => {
  const bytes = (path: string): number => statSync(path).size;
  const total = (at: string): number => readdirSync(at).reduce((sum, name) => sum + bytes(join(at, name)), 0);
  const write = (folder: OutputFolder, at: string, name: string, size: number): string =>
    boundText("x".repeat(size), { maxBytes: 1000, file: join(at, `${name}.txt`), folder }).outputFile ?? "none";

  it("N16 the oldest whole outputs leave for new ones, a marker stands in their place; a later run goes on with that", () => {
    const at = join(dir, "bounded");
    const bounds = { maxFileBytes: 40_000, maxFolderBytes: 100_000 };
    const folder = new OutputFolder(at, bounds);
    const [a, b, c] = ["a", "b", "c"].map((name) => write(folder, at, name, 40_000)) as [string, string, string];
    expect(readFileSync(a, "utf8")).toMatch(/^\[This output of 40000 bytes was removed .*Run the command again/);
    expect([bytes(b), bytes(c)]).toEqual([40_000, 40_000]);
    utimesSync(b, 2, 2);
    const later = new OutputFolder(at, bounds);
    const d = write(later, at, "d", 30_000);
    expect(readFileSync(b, "utf8")).toContain("was removed");
    expect([bytes(c), bytes(d)]).toEqual([40_000, 30_000]);
    for (let i = 0; i < 20; i++) {
      write(later, at, `more${i}`, 39_000);
      expect(total(at)).toBeLessThanOrEqual(bounds.maxFolderBytes);
    }
  });

  it("N16 what is still being written never leaves; when it needs all there is, it stops and says so", () => {
    const at = join(dir, "running");
    const folder = new OutputFolder(at, { maxFileBytes: 80_000, maxFolderBytes: 100_000 });
    const [a, b] = ["a", "b"].map((name) => new Output({ maxBytes: 1000, file: join(at, `${name}.txt`), folder }));
    const add = (output: Output | undefined, count: number): void => {
      for (let i = 0; i < count; i++) output?.append(Buffer.alloc(1000, "y\n"));
    };
    add(a, 60);
    add(b, 50);
    expect(total(at)).toBeLessThanOrEqual(100_000);
    expect(b?.excerpt().text).toContain("its first 40000 bytes: the outputs of the session are at their limit");
    add(a, 10);
    expect(readFileSync(join(at, "b.txt"), "utf8"), "it had stopped").toContain("was removed");
    a?.close();
    write(folder, at, "c", 20_000);
    expect(bytes(join(at, "a.txt"))).toBe(70_000);
    write(folder, at, "d", 20_000);
    expect(readFileSync(join(at, "a.txt"), "utf8")).toContain("was removed");
  });
});
