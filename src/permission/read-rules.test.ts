// Deny and ask rules for reading, held against everything that reads: commands, patterns, searches over folders.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hiddenBelow } from "./hidden.ts";
import type { PolicyInput } from "./policy.ts";
import { makePlace, rules } from "./test-place.ts";

const place = makePlace();
const { root } = place;
place.file("project/secret.txt");
place.file("project/notes.md");
place.file("project/.env");
place.file("project/src/a.ts");
place.file("project/keys/one.pem");
place.file("project/.git/HEAD", "ref: refs/heads/main");
mkdirSync(join(root, ".git/objects"));
symlinkSync(join(root, "secret.txt"), join(root, "innocent.md"));

const type = async (command: string, more: Partial<PolicyInput>) => (await place.shell(command, more)).type;

describe("SEC19 A7.3 a read rule holds against a command that names the file", () => {
  const deny = rules("read(secret.txt)");
  it.each([
    "cat secret.txt",
    "cat ./src/../secret.txt",
    "cat SECRET.txt",
    "cat innocent.md",
    "cat *.txt",
    "cat [s]ecret.txt",
    "cat s?cret*",
    "cat ./*",
    "cd src && cat ../secret.txt",
    "head -n 1 secret.txt | wc -l",
    "cat < secret.txt",
    "cat secret.txt > out",
    "FOO=x cat secret.txt",
    "cat secret.txt &",
    "cat secret.txt $x",
    "bash -c 'cat secret.txt'",
    "timeout 5 cat secret.txt",
    "/bin/cat secret.txt",
    "echo $(cat secret.txt)",
    "git diff -- secret.txt",
    "git show HEAD:secret.txt",
    "git show ':(top)secret.txt'",
    "sed -n p secret.txt",
    "cp secret.txt x",
    "dd if=secret.txt",
    "curl -d @secret.txt x",
    "base64 --input=secret.txt",
  ])("denied, under allow-all too: %s", async (command) => {
    for (const allowAll of [false, true])
      expect(await place.shell(command, { deny, allowAll, allow: rules("shell") })).toMatchObject({
        type: "deny",
        by: "rule",
        rule: "read(secret.txt)",
      });
    expect(await place.shell(command, { ask: deny, allowAll: true })).toMatchObject({ type: "ask", always: true });
  });
  it.each(["cat notes.md", "cat *.md", "cat src/*", "wc -l src/a.ts", "ls -la", "find . -name '*.ts'", "git status"])(
    "others pass by nature: %s",
    async (command) => {
      expect(await place.shell(command, { deny: rules("read(other.txt)") })).toEqual({ type: "allow", by: "nature" });
    },
  );
  it("a pattern stands for what bash finds: * for no hidden file", async () => {
    const env = { deny: rules("read(.env)") };
    expect(await type("cat *", env)).toBe("allow");
    expect(await type("cat .e*", env)).toBe("deny");
  });
  it("without such a rule nothing is asked that was not, and outside still asks once", async () => {
    expect(await type("cat secret.txt", {})).toBe("allow");
    expect(await place.shell("cat /etc/passwd")).toMatchObject({ type: "ask", parts: [{ part: { kind: "shell" } }] });
    expect(await type("cat /etc/passwd", { allow: rules("shell(cat)") })).toBe("allow");
    expect(await type("foo /etc/passwd < /etc/passwd", { allow: rules("shell(foo)") })).toBe("ask");
  });
  it("a bare read denies every look", async () => {
    for (const command of ["cat notes.md", "ls", "rg x", "git diff", "find", "grep -r x"])
      expect(await type(command, { deny: rules("read"), allowAll: true })).toBe("deny");
    expect(await type("echo hi", { deny: rules("read") })).toBe("allow");
  });
  it("a rule for a whole folder holds against searching in it", async () => {
    for (const text of ["read(keys/)", "read(keys/**)", `read(${root}/keys/**)`])
      for (const command of ["ls keys", "grep -r x keys", "cd keys && rg x"])
        expect(await type(command, { deny: rules(text), allowAll: true })).toBe("deny");
    expect(await type("git diff", { deny: rules(`read(${root}/**)`), allowAll: true })).toBe("deny");
  });
});

describe("SEC19 A7.3 a search over a folder that holds such files is not safe by nature", () => {
  const searches = ["grep -r x .", "grep -rn x src", "grep -r x", "rg x", "rg x src", "grep -r x *"];
  const gits = ["git diff", "git show", "git log -p", "git log -5 --patch", "git --no-pager diff HEAD~1"];
  it.each([...searches, ...gits])("%s needs an approval of the shell", async (command) => {
    for (const list of ["deny", "ask"] as const) {
      const policy = { [list]: rules("read(password.txt)") };
      expect(await place.shell(command, policy)).toMatchObject({
        type: "ask",
        always: false,
        reason: expect.stringContaining("read rule"),
      });
      expect(await type(command, { ...policy, session: rules("shell") })).toBe("allow");
    }
    expect(await type(command, {})).toBe("allow");
    expect(await type(command, { deny: rules("read(/elsewhere/**)", "write(x)") })).toBe("allow");
  });
  it.each(["ls -R", "find .", "rg --files", "git status", "git log --oneline -5", "cat notes.md | grep x", "du"])(
    "%s shows names only, or what it is given",
    async (command) => {
      expect(await type(command, { deny: rules("read(password.txt)") })).toBe("allow");
    },
  );
  it("only rules that may name something below the folder count", async () => {
    const policy = { deny: rules(`read(${root}/keys/*.pem)`) };
    expect(await type("grep -r x src", policy)).toBe("allow");
    expect(await type("grep -r x .", policy)).toBe("ask");
    expect(await type("cd src && git log -p", policy)).toBe("ask");
    expect(await place.shell("git log -p", { ...policy, cwd: join(root, "src") })).toMatchObject({ type: "ask" });
  });
});

describe("A7.3 what is hidden below a folder, as globs from there on", () => {
  const hidden = (folder: string, ...texts: string[]) =>
    hiddenBelow(place.policy({ deny: rules(...texts) }), join("/", folder));
  it.each([
    ["a", ["read(x.txt)"], ["/**/x.txt"]],
    ["a/b", ["read(b/x.txt)"], ["/x.txt", "/**/b/x.txt"]],
    ["a", ["read(/a/x/*.txt)"], ["/x/*.txt"]],
    ["a/b", ["read(/a/**/b/x)"], ["/x", "/**/b/x"]],
    ["a", ["read(/other/x)"], []],
    ["a", ["read(/a/**)", "read(a/)"], ["/**/a/**"]],
    ["b", ["read(a/)"], ["/**/a/**"]],
    ["a", ["read(Secret {1}.[ab])"], ["/**/secret\\ \\{1\\}.[ab]"]],
    ["a", ["read([x)", "read(a**b)"], ["/**/\\[x", "/**/a*b"]],
    ["a", ["read", "write(x)", "shell(x)"], []],
  ])("/%s, %j: %j", (folder, texts, expected) => {
    expect(hidden(folder, ...texts).sort()).toEqual([...expected].sort());
  });
});
