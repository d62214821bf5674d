// The decision: its order, its words, and what must always hold of it.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PermissionRequest } from "../schema/permission.ts";
import type { PermissionDecision } from "./decide.ts";
import { explainAsk, markCommand, refuseByUser, refuseUnasked } from "./explain.ts";
import { inspect } from "./inspect.ts";
import { onlyLooks } from "./permit.ts";
import type { PolicyInput } from "./policy.ts";
import { makePlace, rules } from "./test-place.ts";

const place = makePlace();
const { root, base, home, userHome, sessionDir } = place;
const write = (path: string): PermissionRequest => ({ kind: "write", path });
const read = (path: string): PermissionRequest => ({ kind: "read", path });
symlinkSync(join(base, "elsewhere"), join(root, "out"));
place.file("project-evil/x");

describe("A7.4 the order of decision", () => {
  const all: Partial<PolicyInput> = { allowAll: true };
  it("(1) a guard beats every rule, approval, hook and allow-all: AI7", async () => {
    const everything = {
      allowAll: true,
      allow: rules("write", "shell"),
      session: rules("write", "shell"),
      location: rules("write"),
      hook: { decision: "allow", reason: "" } as const,
    };
    for (const path of [join(home, "settings.json"), ".mcp.json", ".git/config", ".everlong/hooks/a.json"])
      expect(await place.decide(write(path), everything)).toMatchObject({ type: "deny", code: "guard" });
    for (const key of ["gateway.token", "secret.key"]) {
      expect(await place.decide(read(join(home, key)), everything)).toMatchObject({ type: "deny", code: "guard" });
      expect(await place.shell(`cat ${join(home, key)}`, everything)).toMatchObject({ type: "deny", code: "guard" });
    }
    const both = { deny: rules("shell(rm)") };
    expect(await place.shell("rm x; echo x > .mcp.json", both)).toMatchObject({ type: "deny", code: "guard" });
  });
  it("(2) a deny rule beats allow-all, allow rules and a hook's allow: SEC19", async () => {
    const policy = {
      ...all,
      allow: rules("shell"),
      hook: { decision: "allow", reason: "" } as const,
      deny: rules("shell(rm)"),
    };
    expect(await place.shell("rm x", policy)).toMatchObject({
      type: "deny",
      code: "denied",
      by: "rule",
      rule: "shell(rm)",
    });
    expect(await place.shell("git status && sudo /bin/rm x", policy)).toMatchObject({ type: "deny", code: "denied" });
    expect(await place.shell("rm $x", policy)).toMatchObject({ type: "deny" });
    expect(await place.shell("touch x", policy)).toMatchObject({ type: "allow" });
    expect(await place.shell("constructor -x", { allow: rules("shell(toString)") })).toMatchObject({ type: "ask" });
  });
  it("(3) a hook's deny beats allow rules", async () => {
    const policy = { allow: rules("shell"), hook: { decision: "deny", reason: "no" } as const };
    expect(await place.shell("ls", policy)).toMatchObject({
      type: "deny",
      by: "hook",
      reason: expect.stringContaining("no"),
    });
  });
  it("(4) A5.12 plan mode reads, looks, and writes its own plan, whatever is allowed", async () => {
    const plan = { mode: "plan", allowAll: true, allow: rules("shell", "write") } as const;
    expect((await place.shell("git log | head", plan)).type).toBe("allow");
    expect((await place.decide(read("src/a.ts"), plan)).type).toBe("allow");
    expect((await place.decide(write(join(sessionDir, "plan.md")), plan)).type).toBe("allow");
    expect((await place.decide([], plan)).type).toBe("allow");
    expect(await place.decide(write("src/a.ts"), plan)).toMatchObject({ type: "deny", code: "plan_mode" });
    expect(await place.shell("touch x", plan)).toMatchObject({ type: "deny", code: "plan_mode" });
    expect(await place.shell("cat $x", plan)).toMatchObject({ type: "deny", code: "plan_mode" });
    expect(await place.decide({ kind: "url", url: "https://x.org" }, plan)).toMatchObject({ code: "plan_mode" });
    expect(await place.decide({ kind: "memory", summary: "x" }, plan)).toMatchObject({ code: "plan_mode" });
  });
  it("(5) an ask rule and a hook's ask go to the person, past every approval", async () => {
    const policy = { ...all, ask: rules("shell(git push)"), allow: rules("shell"), session: rules("shell") };
    const asked = await place.shell("git push", policy);
    expect(asked).toMatchObject({ type: "ask", always: true, covered: true });
    expect(asked.type === "ask" && asked.offer).toEqual({});
    expect((await place.shell("git status", policy)).type).toBe("allow");
    const hook = { ...all, hook: { decision: "ask", reason: "really?" } as const };
    expect(await place.shell("ls", hook)).toMatchObject({ type: "ask", always: true });
  });
  it.each([
    ["rule", { allow: rules("shell(touch)") }],
    ["hook", { hook: { decision: "allow", reason: "" } as const }],
    ["session", { session: rules("shell(touch:*)") }],
    ["location", { location: rules("shell(touch:*)") }],
    ["allow-all", { allowAll: true }],
  ])("(6-9) %s lets it pass", async (by, policy) => {
    expect(await place.shell("touch x", policy)).toMatchObject({ type: "allow", by });
  });
  it("(10) safe by nature: reads inside, read-only shell, nothing asked, the session's own papers", async () => {
    expect(await place.decide(read("src/a.ts"))).toEqual({ type: "allow", by: "nature" });
    expect(await place.shell("git status")).toEqual({ type: "allow", by: "nature" });
    expect(await place.decide([])).toEqual({ type: "allow", by: "nature" });
    expect(await place.decide(write(join(sessionDir, "files/a.txt")))).toEqual({ type: "allow", by: "nature" });
  });
  it("(12) everything else is asked", async () => {
    for (const request of [
      write("src/a.ts"),
      { kind: "url", url: "https://x.org" },
      { kind: "memory", summary: "x" },
      { kind: "mcp", server: "s", tool: "t", readOnly: true },
      { kind: "hook", name: "h" },
    ] satisfies PermissionRequest[])
      expect(await place.decide(request)).toMatchObject({ type: "ask", always: false });
  });
  it("(13) A7.12 AE7 with nobody to ask, the refusal says what and which flag allows it", async () => {
    const policy = { allow: rules("shell(git:*)") };
    const ask = await place.shell("git status && touch x", policy);
    if (ask.type !== "ask") throw new Error(ask.type);
    const refusal = refuseUnasked(ask, place.policy(policy));
    expect(refusal).toMatchObject({ type: "deny", code: "user_not_available" });
    expect(refusal.reason).toContain("`touch x`");
    expect(refusal.reason).toContain("--allow-tool 'shell(touch:*)'");
    expect(refusal.reason).toContain("--allow-all");
    expect(refusal.reason).not.toContain("`git status`");
  });
  it("M63 M68 a memory that must be asked is, under allow-all and with a memory approval", async () => {
    const request = { kind: "memory", summary: "x", mustAsk: true } as const;
    expect(await place.decide(request, { allowAll: true })).toMatchObject({ type: "ask", always: true, covered: true });
    expect(await place.decide(request, {})).toMatchObject({ type: "ask", always: true, covered: false });
    expect(await place.decide(request, { deny: rules("memory") })).toMatchObject({ type: "deny", by: "rule" });
  });
});

describe("A7.5 B50 guards reach into the shell", () => {
  it.each([
    `echo x > ${join(home, "settings.json")}`,
    "echo x > ~/.everlong/settings.json",
    "cd ~/.everlong && echo x > settings.json",
    "cd .git && echo x > hooks/pre-commit",
    "echo x >> .mcp.json",
    "bash -c 'echo x > .git/config'",
    "cp evil .git/hooks/pre-commit",
    "tee .everlong/settings.json < x",
    "sudo mv x .mcp.json",
    "sed -i s/a/b/ .git/config",
    "ln -sf evil .git/hooks/post-checkout",
    "everlong trust .",
    "npx everlong settings set permissions.allowAll true",
    "bash -c 'everlong consent grant http://x'",
  ])("refused under allow-all: %s", async (command) => {
    expect(await place.shell(command, { allowAll: true })).toMatchObject({ type: "deny", code: "guard" });
  });
  it.each([
    "echo x >> ~/.bashrc",
    "touch .git/HEAD",
    "cp a .claude/skills/x/SKILL.md",
    "echo x > .everlong/agents/a.md",
  ])("always asked, under allow-all: %s", async (command) => {
    expect(await place.shell(command, { allowAll: true })).toMatchObject({ type: "ask", always: true });
  });
  it("a link into the home folder is seen through", async () => {
    symlinkSync(home, join(root, "innocent"));
    expect(await place.decide(write("innocent/settings.json"), { allowAll: true })).toMatchObject({ code: "guard" });
  });
});

describe("A7.6 paths that cannot be resolved", () => {
  symlinkSync("circle", join(root, "circle"));
  symlinkSync(join(base, "elsewhere"), join(root, "detour"));
  it("are never written, and a deny rule is not evaded by them", async () => {
    expect(await place.decide(write("circle/x"), { allowAll: true })).toMatchObject({ type: "deny", code: "guard" });
    const deny = rules("read(secret.txt)");
    expect((await place.decide(read("detour/../secret.txt"), { allowAll: true, deny })).type).toBe("deny");
    expect((await place.decide(read("detour/../other.txt"))).type).toBe("ask");
  });
});

describe("A7.6 B53 outside the allowed folders", () => {
  it("asks, and a bare rule or session approval does not cover it", async () => {
    for (const path of ["../elsewhere/x", "out/x", "../project-evil/x", join(base, "project-evil/x")]) {
      expect(await place.decide(read(path))).toMatchObject({
        type: "ask",
        reason: expect.stringContaining("outside the folder"),
      });
      expect(
        (await place.decide(write(path), { allow: rules("write", "write(x)"), session: rules("write") })).type,
      ).toBe("ask");
    }
    expect((await place.decide(write("src/x"), { session: rules("write") })).type).toBe("allow");
  });
  it("a rule that names the place, an added folder, or allow-all does", async () => {
    const path = join(base, "elsewhere/x");
    expect((await place.decide(write(path), { allow: rules(`write(${base}/elsewhere/**)`) })).type).toBe("allow");
    expect((await place.decide(write(path), { allow: rules(`write(${root}/out/**)`) })).type).toBe("allow");
    expect((await place.decide(read(path), { dirs: [join(base, "elsewhere")] })).type).toBe("allow");
    expect((await place.decide(write(path), { allowAll: true })).type).toBe("allow");
  });
  it("the temp folder and the session folder are allowed", async () => {
    expect((await place.decide(read(join(base, "tmp/x")))).type).toBe("allow");
    expect((await place.decide(read(join(sessionDir, "outputs/1.txt")))).type).toBe("allow");
  });
});

describe("A7.7 SEC23 what an answer stores", () => {
  const offer = async (request: PermissionRequest, more?: Partial<PolicyInput>) => {
    const decision = await place.decide(request, more);
    return decision.type === "ask" ? decision.offer : decision;
  };
  it.each([
    ["git push -f", ["shell(git push:*)"]],
    ["touch a && npm test", ["shell(touch:*)", "shell(npm test:*)"]],
    ["timeout 5 npm test", ["shell(npm test:*)"]],
    ["sudo rm x", ["shell(sudo:*)", "shell(rm:*)"]],
    ["echo x > f", ["shell(echo:*)", "write"]],
    ["curl https://x.org/a", ["shell(curl:*)", "url(https://x.org)"]],
    ["git -C sub push", ["shell(git -C sub push:*)"]],
  ])("%s offers %j, and the same call then passes", async (command, session) => {
    expect(await offer({ kind: "shell", command })).toEqual({ session, location: session });
    expect((await place.shell(command, { session: rules(...session) })).type).toBe("allow");
  });
  it.each(["rm $x", 'eval "$x"', "PATH=. git status", "'a b' c", "curl a | sh"])(
    "%s can only be approved once",
    async (command) => {
      expect(await offer({ kind: "shell", command })).toEqual({});
      expect(
        (
          await place.shell(command, {
            session: rules("shell(rm:*)", "shell(git:*)", "shell(eval:*)", "shell(curl:*)", "shell(sh:*)"),
          })
        ).type,
      ).toBe("ask");
      expect((await place.shell(command, { allow: rules("shell") })).type).toBe("allow");
      expect((await place.shell(command, { allowAll: true })).type).toBe("allow");
    },
  );
  it("the other kinds", async () => {
    expect(await offer(write("src/a"))).toMatchObject({ session: ["write"] });
    expect(await offer(write(join(base, "elsewhere/a")))).toMatchObject({ session: [`write(${base}/elsewhere/a)`] });
    expect(await offer({ kind: "url", url: "http://x.org:8080/a?b" })).toMatchObject({
      session: ["url(http://x.org:8080)"],
    });
    expect(await offer({ kind: "mcp", server: "s", tool: "t" })).toMatchObject({ session: ["mcp(s:t)"] });
    expect(await offer({ kind: "memory", summary: "x" })).toMatchObject({ session: ["memory"] });
  });
  it("location is not offered in an untrusted folder", async () => {
    expect(await offer(write("src/a"), { trusted: false })).toEqual({ session: ["write"] });
  });
});

describe("A7.11 addresses in arguments ask as url", () => {
  it("also under shell rules, but not where the command only looks", async () => {
    expect(await place.shell("curl https://x.org", { allow: rules("shell") })).toMatchObject({
      type: "ask",
      parts: [{ part: { kind: "url" } }],
    });
    expect((await place.shell("git clone https://x.org/a", { allow: rules("shell", "url(x.org)") })).type).toBe(
      "allow",
    );
    expect((await place.shell("curl https://evil.org", { allowAll: true, deny: rules("url(evil.org)") })).type).toBe(
      "deny",
    );
    expect((await place.shell("grep -r https://x.org src")).type).toBe("allow");
  });
  it("a redirect is also a write, under bare shell too", async () => {
    expect((await place.shell("echo x > f", { allow: rules("shell") })).type).toBe("ask");
    expect((await place.shell("echo x > f", { allow: rules("shell", "write(f)") })).type).toBe("allow");
    expect((await place.shell("touch secret/x", { allowAll: true, deny: rules("write(secret)") })).type).toBe("deny");
  });
});

describe("B51 AB15 under an allow rule for git", () => {
  it.each([
    "git status && rm -rf x",
    "git status; rm -rf x",
    "git status || rm x",
    "git status\nrm x",
    "git status & rm x",
    "git status $(rm x)",
    "git status `rm x`",
    "git diff <(rm x)",
    "git status > x",
    "$(rm x)",
    "a\nrm x",
    "gitea status",
    "FOO=x git status",
    "git status | xargs rm",
    "git $(echo push)",
  ])("%j asks", async (command) => {
    expect((await place.shell(command, { allow: rules("shell(git:*)") })).type).toBe("ask");
  });
  it("O15 only looking is told from the rest", async () => {
    const looks = async (command: string) =>
      onlyLooks(await inspect([{ kind: "shell", command }], { cwd: root, userHome }), place.policy());
    expect(await looks("ls | head && cat src/a.ts")).toBe(true);
    expect(await looks("ls > f")).toBe(false);
    expect(await looks("cat < /etc/passwd")).toBe(false);
    expect(await looks("npm test")).toBe(false);
  });
});

describe("A7.9 the words of a prompt", () => {
  it("marks the parts; the offer is what would be stored", async () => {
    const request = { kind: "shell", command: "git status && rm -rf x && ls" } as const;
    const ask = await place.decide(request);
    if (ask.type !== "ask") throw new Error(ask.type);
    const text = explainAsk(ask, [request], root);
    expect(text).toContain("git status && ⟦rm -rf x⟧ && ls");
    expect(ask.offer.session).toEqual(["shell(rm:*)"]);
    expect(refuseByUser(ask, { type: "reject", feedback: "use git clean" }).reason).toContain("use git clean");
  });
  it("F40 a path below the folder is told from there, any other whole", async () => {
    const wordsOf = async (path: string) => {
      const ask = await place.decide({ kind: "write", path });
      return ask.type === "ask" ? explainAsk(ask, [{ kind: "write", path }], root) : ask.type;
    };
    expect(await wordsOf(`${root}/src/a.ts`)).toBe("- write src/a.ts: no rule allows it yet");
    expect(await wordsOf("/etc/hosts")).toContain("- write /etc/hosts: outside the folder");
  });
  it("marks nested and overlapping parts once", () => {
    const spans = [
      { start: 2, end: 4 },
      { start: 0, end: 3 },
      { start: 6, end: 7 },
    ];
    expect(markCommand("abcdefgh", spans)).toBe("⟦abcd⟧ef⟦g⟧h");
  });
  it("F15 what cannot be seen is shown", async () => {
    const request = { kind: "shell", command: "echo a\u202eb" } as const;
    const ask = await place.decide(request);
    if (ask.type !== "ask") throw new Error(ask.type);
    expect(explainAsk(ask, [request], root)).not.toContain("\u202e");
  });
  it.each([
    "$'\\x1b[31mevil' x",
    "sudo $'--\\x1b[2J' x",
    "touch $'a\\r\\x9b2Jb'",
    "cat $'/etc/\\x1b[31m'",
    "echo x > $'/etc/\\x07'",
    "curl $'https://x.org/\\x1b[31m'",
    "touch a\u009bb",
  ])("F15 no control character of %j reaches a terminal, a stored rule or the model", async (command) => {
    const request = { kind: "shell", command } as const;
    const ask = await place.decide(request);
    if (ask.type !== "ask") throw new Error(ask.type);
    const refused = [refuseUnasked(ask, place.policy()).reason, refuseByUser(ask, { type: "reject" }).reason];
    const texts = [explainAsk(ask, [request], root), ask.reason, ...(ask.offer.session ?? []), ...refused];
    for (const text of texts) expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  });
  it("F15 they are written out, in rules of the settings and what a hook says too, and rules match as before", async () => {
    const path = "a\u001b[31m\nb";
    expect(await place.decide(read(path), { deny: rules(`read(${path})`) })).toMatchObject({
      type: "deny",
      reason: expect.stringContaining("read a\\x1b[31m\\nb. The deny rule read(a\\x1b[31m\\nb)"),
    });
    const hook = { decision: "ask", reason: "one\u001b[2J\ntwo" } as const;
    expect(await place.shell("ls", { hook })).toMatchObject({ reason: "a hook asks: one\\x1b[2J\ntwo" });
  });
  it("F43 a deny names the rule and where it comes from", async () => {
    const deny = rules("shell(rm)").map((r) => ({ ...r, source: "~/.everlong/settings.json" }));
    expect(await place.shell("rm x", { deny })).toMatchObject({
      reason: expect.stringContaining("shell(rm) (~/.everlong/settings.json)"),
    });
  });
});

describe("invariants", () => {
  const rank = (d: PermissionDecision): number => ({ allow: 0, ask: 1, deny: 2 })[d.type];
  const simple = fc.constantFrom(
    "git status",
    "git push",
    "rm -rf x",
    "ls",
    "cat src/a.ts",
    "echo hi > f",
    "npm test",
    "cat /etc/passwd",
    "echo $x",
    "PATH=. ls",
    "curl https://x.org",
    "touch .mcp.json",
    "everlong trust",
    "echo x > .git/config",
    "timeout 5 rm x",
  );
  const joined = fc
    .tuple(simple, simple, fc.constantFrom(" && ", "; ", " || ", " | ", " & ", "\n"))
    .map(([a, b, j]) => ({ parts: [a, b], whole: a + j + b }));
  const wrapped = fc
    .tuple(
      simple,
      fc.constantFrom(
        "( # )",
        "{ #; }",
        "if true; then #; fi",
        "f() { #; }",
        "echo $(#)",
        "cat <(#)",
        "while true; do #; done",
        "! #",
        "case a in a) #;; esac",
      ),
    )
    .map(([a, form]) => ({ parts: [a], whole: form.replace("#", () => a) }));
  const quoted = fc
    .tuple(simple, fc.constantFrom("bash -c", "eval", "sh -ec"))
    .map(([a, shell]) => ({ parts: [a], whole: `${shell} '${a}'` }));
  const command = fc.oneof(joined, wrapped, quoted);
  const rule = fc.constantFrom(
    "shell",
    "shell(git:*)",
    "shell(git push)",
    "shell(rm)",
    "shell(ls)",
    "shell(echo:*)",
    "write",
    "write(f)",
    "read",
    "url",
    "url(x.org)",
    "shell(npm:*)",
    "shell(timeout:*)",
    "shell(bash:*)",
  );
  const list = fc.array(rule, { maxLength: 3 }).map((texts) => rules(...texts));
  const policy = fc.record({
    deny: list,
    ask: list,
    allow: list,
    session: list,
    location: list,
    allowAll: fc.boolean(),
    mode: fc.constantFrom("interactive", "plan", "autopilot"),
  });

  it("AI8 PI10 the whole is never milder than any of its parts", async () => {
    await fc.assert(
      fc.asyncProperty(command, policy, async ({ parts, whole }, p) => {
        const all = rank(await place.shell(whole, p));
        for (const part of parts) expect(all).toBeGreaterThanOrEqual(rank(await place.shell(part, p)));
      }),
      { numRuns: 600 },
    );
  });
  it("AI6 adding a deny rule never makes the decision milder; nor does leaving an allow rule out", async () => {
    await fc.assert(
      fc.asyncProperty(command, policy, rule, async ({ whole }, p, extra) => {
        const before = rank(await place.shell(whole, p));
        expect(rank(await place.shell(whole, { ...p, deny: [...p.deny, ...rules(extra)] }))).toBeGreaterThanOrEqual(
          before,
        );
        expect(rank(await place.shell(whole, { ...p, allow: [] }))).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 400 },
    );
  });
  it("AI7 what an ask rule names is never allowed without an answer, a guard never at all", async () => {
    await fc.assert(
      fc.asyncProperty(simple, policy, async (text, p) => {
        expect((await place.shell(text, { ...p, ask: rules("shell") })).type).not.toBe("allow");
        expect((await place.shell(`${text}; echo x > .mcp.json`, p)).type).toBe("deny");
      }),
      { numRuns: 200 },
    );
  });
  it("PI10 adding text never turns a denial into anything else", async () => {
    await fc.assert(
      fc.asyncProperty(simple, fc.string({ maxLength: 12 }), policy, async (text, tail, p) => {
        const before = await place.shell(text, { ...p, deny: rules("shell") });
        expect(before.type).toBe("deny");
        expect((await place.shell(`${text} ${tail}`, { ...p, deny: rules("shell") })).type).toBe("deny");
      }),
      { numRuns: 300 },
    );
  });
  it("PI10 N7 nothing that is put around a denied command makes it run, whatever else is allowed", async () => {
    const text = fc.string({ unit: fc.constantFrom(..."ab $`'\"\\(){}[];&|<>\n#!*?~=-/x"), maxLength: 10 });
    const starts = [
      "",
      "ls; ",
      "true && ",
      "false || ",
      "echo a | ",
      "ls\n",
      "{ ls; }; ",
      "(ls); ",
      "x=1 ",
      "! ",
      "time ",
      "env ",
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...starts), text, async (before, after) => {
        const decision = await place.shell(`${before}rm x ${after}`, { allowAll: true, deny: rules("shell(rm)") });
        expect(decision.type).not.toBe("allow");
      }),
      { numRuns: 500 },
    );
  });
  it("SEC20 no text at all breaks the analysis", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(..."ab $`'\"\\(){}[];&|<>\n#!*?~=-"), maxLength: 60 }),
        async (text) => {
          expect(["allow", "ask", "deny"]).toContain((await place.shell(text)).type);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
