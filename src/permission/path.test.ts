// Real paths, containment and guards.
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isInside } from "../host/paths.ts";
import { guardOf } from "./guard.ts";
import { insideAny, realFolders, realPath } from "./path.ts";
import { makePlace } from "./test-place.ts";

const place = makePlace();
const { base, root, home, sessionDir } = place;
symlinkSync(join(base, "elsewhere"), join(root, "out"));
symlinkSync("out", join(root, "again"));
symlinkSync(join(base, "elsewhere", "not-yet"), join(root, "dangling"));
symlinkSync("loop", join(root, "loop"));
symlinkSync(join(root, "src"), join(base, "elsewhere", "back"));
mkdirSync(join(base, "project-evil"));
mkdirSync(join(base, "elsewhere", "deep"));
symlinkSync(join(base, "elsewhere", "deep"), join(root, "deep"));
writeFileSync(join(base, "elsewhere", "secret"), "x");

describe("real paths", () => {
  it.each([
    ["src/a.ts", join(root, "src/a.ts")],
    ["src/new/deeper/a.ts", join(root, "src/new/deeper/a.ts")],
    ["out/secret", join(base, "elsewhere/secret")],
    ["again/secret", join(base, "elsewhere/secret")],
    ["again/back/a.ts", join(root, "src/a.ts")],
    ["src/../src/./a.ts", join(root, "src/a.ts")],
    ["loop", undefined],
    ["a\0b", undefined],
  ])("A7.6 %j is really %s", (path, expected) => {
    expect(realPath(path, root)).toBe(expected);
  });

  it("A7.6 a link to what does not exist yet counts as what it points to", () => {
    expect(realPath("dangling", root)).toBe(join(base, "elsewhere/not-yet"));
    expect(insideAny(realPath("dangling", root), [root])).toBe(false);
  });

  it("A7.6 where text and kernel disagree about a .. after a link, the path is not resolved", () => {
    expect(realPath("deep/../secret", root)).toBeUndefined();
  });

  it("B53 SEC17 containment is by segment", () => {
    expect(isInside("/srv/project-evil/x", "/srv/project")).toBe(false);
    expect(isInside("/srv/project/x", "/srv/project")).toBe(true);
    expect(isInside("/srv/project", "/srv/project")).toBe(true);
    expect(isInside("/srv/..project", "/srv")).toBe(true);
    expect(insideAny(realPath("../project-evil/x", root), [root])).toBe(false);
    expect(insideAny(realPath(`${root}-evil/x`, root), [root])).toBe(false);
  });

  it("PI11 whatever the path, allowed means that its real path lies under an allowed folder", () => {
    const names = [
      "src",
      "out",
      "again",
      "back",
      "dangling",
      "loop",
      "deep",
      "..",
      ".",
      "",
      "new",
      "secret",
      "-x",
      "~",
    ];
    const folders = realFolders([root, sessionDir], root);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 8 }), fc.boolean(), (parts, isAbsolute) => {
        const path = (isAbsolute ? `${root}/` : "") + parts.join("/");
        if (!insideAny(realPath(path, root), folders)) return;
        // The kernel's own answer, for the longest part of the path that exists.
        let existing = isAbsolute ? path : `${root}/${path}`;
        for (;;) {
          try {
            const real = realpathSync.native(existing);
            expect(folders.some((f) => real === f || real.startsWith(`${f}/`))).toBe(true);
            return;
          } catch {
            existing = existing.slice(0, existing.lastIndexOf("/"));
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("A7.5 B50 guards", () => {
  const places = { everlongHome: home, sessionDir, root, cwd: join(root, "packages/a") };
  it.each([
    [join(home, "settings.json"), "refuse"],
    [join(home, "trust.json"), "refuse"],
    [join(home, "agents/x.md"), "refuse"],
    [join(home, "sessions/s2/plan.md"), "refuse"],
    [join(sessionDir, "events.jsonl"), "refuse"],
    [join(sessionDir, "plan.md"), undefined],
    [join(sessionDir, "files/a/b.txt"), undefined],
    [join(sessionDir, "research/r.md"), undefined],
    [join(sessionDir, "plan.md.exe"), "refuse"],
    [join(root, ".everlong/settings.json"), "refuse"],
    [join(root, "packages/a/.everlong/settings.json"), "refuse"],
    [join(root, ".everlong/hooks/a.json"), "refuse"],
    [join(root, ".github/hooks/a.json"), "refuse"],
    [join(root, ".claude/settings.local.json"), "refuse"],
    [join(root, ".mcp.json"), "refuse"],
    [join(root, ".MCP.json"), "refuse"],
    [join(root, ".git/hooks/pre-commit"), "refuse"],
    [join(root, ".git/hooks"), "refuse"],
    [join(root, ".git/config"), "refuse"],
    [join(root, ".Git/Config"), "refuse"],
    [join(root, ".git/modules/sub/hooks/x"), "refuse"],
    [join(root, "vendor/lib/.git/config"), "refuse"],
    [join(root, ".git/HEAD"), "ask"],
    [join(root, ".git"), "ask"],
    [join(root, ".everlong"), "ask"],
    [join(root, ".everlong/agents/a.md"), "ask"],
    [join(root, ".github/agents/a.md"), "ask"],
    [join(root, ".claude/skills/x/SKILL.md"), "ask"],
    ["/home/me/.bashrc", "ask"],
    ["/home/me/.profile", "ask"],
    ["/home/me/.zshrc", "ask"],
    ["/home/me/.config/fish/config.fish", "ask"],
    ["/home/me/.ssh/authorized_keys", "ask"],
    ["/etc/profile.d/x.sh", "ask"],
    [join(root, ".github/workflows/ci.yml"), undefined],
    [join(root, ".gitignore"), undefined],
    [join(root, "test/fixtures/.mcp.json"), undefined],
    [join(root, "src/hooks/a.ts"), undefined],
    [join(root, "src/bashrc"), undefined],
  ])("%s: %s", (path, level) => {
    expect(guardOf(path, places)?.level).toBe(level);
  });
});
