// Which paths each program is seen to write, and that the guards hold there whatever is allowed.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makePlace, rules } from "../test-place.ts";
import { literalWord } from "./word.ts";
import { writtenPaths } from "./writes.ts";

describe("A7.5 written paths", () => {
  const written = (command: string): string[] =>
    writtenPaths(command.split(" ").map(literalWord), { userHome: "/me", isFolder: (path) => /^(\.|dir)$/.test(path) });
  it.each([
    ["cp a b .git/hooks/x", [".git/hooks/x"]],
    ["cp -t .git/hooks a", [".git/hooks"]],
    ["cp --target-directory=.git/hooks a", [".git/hooks"]],
    ["cp --target-dir .git/hooks a", [".git/hooks"]],
    ["cp evil/.mcp.json .", [".", ".mcp.json"]],
    ["cp a b -S .bak", ["b"]],
    ["mv .mcp.json x", [".mcp.json", "x"]],
    ["mv evil/.mcp.json dir", ["evil/.mcp.json", "dir", "dir/.mcp.json", "dir/dir"]],
    ["ln -s x .git/hooks/y", [".git/hooks/y"]],
    ["install -m 755 a .git/hooks/y", [".git/hooks/y"]],
    ["install -d -m 755 a b", ["a", "b"]],
    ["rsync -a a .git/hooks/ --exclude x", ["x", ".git/hooks/"]],
    ["rsync --log-file=f a .git/hooks/", ["f", ".git/hooks/"]],
    ["tee -a f", ["f"]],
    ["dd if=a of=b", ["b"]],
    ["sed -i s/a/b/ f", ["s/a/b/", "f"]],
    ["sed s/a/b/ f", []],
    ["curl -o f https://x", ["f"]],
    ["curl -sSLof https://x", ["f"]],
    ["curl --output f https://x", ["f"]],
    ["curl --output=f https://x", ["f"]],
    ["curl -LO https://x/a/.mcp.json?b=/c", [".mcp.json"]],
    ["curl --output-dir dir -o f https://x", ["dir", "f", "dir/x", "dir/dir", "dir/f"]],
    ["curl -X POST https://x", []],
    ["wget -O f https://x/y", ["f", "y"]],
    ["wget -qO f https://x/y", ["f", "y"]],
    ["wget https://x/.mcp.json", [".mcp.json"]],
    ["sort -o f a", ["f"]],
    ["sort --output=f a", ["f"]],
    ["sort a", []],
    ["find . -fprint f", ["f"]],
    ["find . -name x -fprintf f %p", ["f"]],
    ["find a b -name x -delete", ["a", "b"]],
    ["find . -name f", []],
    ["split -l 10 a .git/hooks/", [".git/hooks/"]],
    ["split -l 10 a", []],
    ["unzip a.zip -d d", ["d"]],
    ["unzip a.zip .mcp.json", [".mcp.json"]],
    ["tar -C d -xf a.tar", ["d"]],
    ["tar xzf a.tar --directory=d", ["d"]],
    ["tar --extract --file=a.tar .mcp.json", [".mcp.json"]],
    ["tar czf a.tgz src", ["a.tgz"]],
    ["tar -C d -tf a.tar", []],
    ["git config core.hooksPath x", [".git/config"]],
    ["git config --local alias.x y", [".git/config"]],
    ["git -C sub config --unset a.b", ["sub/.git/config"]],
    ["git -C .git config -f config a.b c", [".git/config"]],
    ["git --no-pager config --file=f a.b c", ["f"]],
    ["git config set a.b c", [".git/config"]],
    ["git config --type bool a.b true", [".git/config"]],
    ["git config --global a.b c", ["/me/.gitconfig"]],
    ["git config --system a.b c", ["/etc/gitconfig"]],
    ["git config --get a.b", []],
    ["git config --get-all a.b c", []],
    ["git config --list --show-origin", []],
    ["git config get a.b", []],
    ["git config --type bool a.b", []],
    ["git config a.b", []],
    ["git init --template=evil", [".git/hooks"]],
    ["git checkout evil -- .mcp.json", ["evil", ".mcp.json"]],
    ["git status .mcp.json", []],
    ["cat f", []],
    ["constructor f", []],
  ])("%s: %j", (command, expected) => {
    expect(written(command)).toEqual(expected);
  });
});

describe("A7.5 AI7 guards hold against what programs write, under allow-all", () => {
  const place = makePlace();
  place.file("project/evil/.mcp.json");
  place.file("project/.mcp.json");
  mkdirSync(join(place.root, ".git/hooks"), { recursive: true });
  const decision = async (command: string) => place.shell(command, { allowAll: true });
  it.each([
    "git config core.hooksPath x",
    "git config --local alias.x y",
    "cd src && git -C .. config alias.x '!evil'",
    "cp evil/.mcp.json .",
    "mv evil/.mcp.json .",
    "cp --target-directory=.git/hooks a",
    "curl -o .mcp.json https://x.org",
    "curl --output .mcp.json https://x.org",
    "curl -O https://x.org/.mcp.json",
    "wget -O .mcp.json https://x.org",
    "sort -o .mcp.json a",
    "find . -fprint .mcp.json",
    "split a .git/hooks/",
    "unzip a.zip -d .git/hooks",
    "tar -C .git/hooks -xf a.tar",
    "install a .git/hooks/y",
    "ln -s x .git/hooks/y",
    "rsync a .git/hooks/",
    "dd of=.mcp.json",
    "rm .mcp.js*",
    "xargs cp -t .git/hooks",
  ])("refused: %s", async (command) => {
    expect(await decision(command)).toMatchObject({ type: "deny", code: "guard" });
  });
  it.each([
    "cp --target-directory=.everlong a",
    "git config --global alias.x y",
    "git config --system alias.x y",
    "unzip a.zip -d .git",
  ])("always asked: %s", async (command) => {
    expect(await decision(command)).toMatchObject({ type: "ask", always: true });
  });
  it.each([
    "git config --get core.hooksPath",
    "git config --list",
    "git config user.name",
    "cp .mcp.json /tmp/x",
    "cat .mcp.json | sort -o out",
    "tar -C .git -cf out.tar hooks",
  ])("left alone: %s", async (command) => {
    expect(await decision(command)).toMatchObject({ type: "allow" });
  });
  it("deny rules for writing hold there too", async () => {
    const deny = rules("write(secret.txt)");
    expect((await place.shell("curl -o secret.txt x", { allowAll: true, deny })).type).toBe("deny");
    expect((await place.shell("curl -o other.txt x", { allowAll: true, deny })).type).toBe("allow");
  });
});

describe("N7 B71 lines that are too much to be followed", () => {
  const many = (count: number, each: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => each(i)).join("; ");
  const moves = "cd a; cd b; cd c; cd d; cd e";
  it.each([
    ["new names", many(100, (i) => `ln -s a${i} b${i}`)],
    ["words", `${moves}; touch ${many(9000, (i) => `w${i}`).replaceAll(";", "")}`],
    [
      "unknown words and new names",
      `${moves}; ${many(10, (i) => `ln -s a${i} b${i}`)}; ${many(300, (i) => `cp $(a${i}) c`)}`,
    ],
    ["pieces of a script", `sed '${"w".repeat(2000)}' x`],
  ])("ask even where all is allowed, and take no time without end: %s", async (_what, line) => {
    const place = makePlace();
    expect(await place.shell(line, { allowAll: true })).toMatchObject({ type: "ask", always: true });
  });
});
