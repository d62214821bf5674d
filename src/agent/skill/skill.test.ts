// Skills: where they are found, what of them is in a request before and after they are invoked.
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { boundTokens, renderFragment } from "../../context/fragment/fragment.ts";
import { type TestGround, testGround } from "../agent-fixture.ts";
import { describeWarning } from "../file/warning.ts";
import { invokeSkill, skillPrompt } from "./invoke.ts";
import { skillsList } from "./list.ts";
import { findSkill, loadSkills, type Skill, type SkillOptions, skillsOf } from "./load.ts";

let ground: TestGround;
beforeEach(() => {
  ground = testGround();
});
afterEach(() => ground.remove());

const text = (name: string, description = "for it", more = "") =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\nDo ${name}.\n`;
const load = (more: Partial<SkillOptions> = {}) =>
  loadSkills({ ...ground.trusted(), directories: [], disabled: [], ...more });
const one = async (name: string): Promise<Skill> => {
  const found = findSkill(await load(), name);
  if (!found.ok) throw new Error(found.error);
  return found.value;
};
const listed = (skills: readonly Skill[]): string => {
  const fragment = skillsList(skills);
  return fragment ? renderFragment(fragment) : "";
};

describe("finding skills", () => {
  it("O21 the fields of a skill, and its folder's name when it gives none", async () => {
    const path = ground.put(
      "home/skills/SQL_style/SKILL.md",
      `---\ndescription: SQL\nallowed-tools: Bash(psql:*), Read\nuser-invocable: false\ndisable-model-invocation: true\n---\nUpper case.`,
    );
    expect((await load()).skills).toEqual([
      {
        name: "sql-style",
        description: "SQL",
        path,
        layer: "user",
        body: "Upper case.",
        allowedTools: [
          { kind: "shell", argument: "psql", text: "Bash(psql:*)" },
          { kind: "read", text: "Read" },
        ],
        userInvocable: false,
        modelInvocable: false,
        enabled: true,
      },
    ]);
  });

  it("O22 roots in their order, the first of a name wins; a root may be a skill itself", async () => {
    const places = [
      "root/.everlong/skills/x",
      "root/.github/skills/x",
      "root/.claude/skills/x",
      "home/skills/x",
      "home/plugins/p/skills/x",
      "extra",
      "shipped/x",
    ];
    const options = { directories: [join(ground.base, "extra")], shipped: join(ground.base, "shipped") };
    for (const [index, path] of places.toReversed().entries()) {
      ground.put(`${path}/SKILL.md`, text("x", `${path}`));
      const { skills, warnings } = await load({ ...ground.trusted(), ...options });
      expect(warnings).toEqual([]);
      expect(
        skills.map((s) => s.description),
        `${index}`,
      ).toEqual([path]);
    }
  });

  it("O22 no deeper than one level, and one real file once", async () => {
    ground.put("home/skills/group/deep/SKILL.md", text("deep"));
    ground.put("real/SKILL.md", text("linked"));
    mkdirSync(join(ground.base, "home/skills"), { recursive: true });
    symlinkSync(join(ground.base, "real"), join(ground.base, "home/skills/a"));
    symlinkSync(join(ground.base, "real"), join(ground.base, "home/skills/b"));
    symlinkSync("c", join(ground.base, "home/skills/c"));
    const { skills, warnings } = await load({ directories: [join(ground.base, "real")] });
    expect(skills.map((s) => s.path)).toEqual([join(ground.base, "home/skills/a/SKILL.md")]);
    expect(warnings).toEqual([]);
  });

  it("O12 a project's skills only in a trusted folder, and not when they changed since", async () => {
    ground.put("root/.claude/skills/a/SKILL.md", text("a"));
    ground.put("root/.claude/skills/b/SKILL.md", text("b"));
    const names = async () => (await load(await ground.recorded())).skills.map((s) => s.name);
    expect(await names()).toEqual([]);
    await ground.trust();
    expect(await names()).toEqual(["a", "b"]);
    ground.put("root/.claude/skills/b/SKILL.md", text("b", "evil"));
    expect(await names()).toEqual(["a"]);
  });

  it("O11 O25 bad files and unknown tool specs are named; the others load", async () => {
    ground.put("home/skills/a/SKILL.md", "no frontmatter");
    ground.put("home/skills/b/SKILL.md", "---\ndescription: b\n---\n");
    ground.put("home/skills/c/SKILL.md", text("c", "fine", "allowed-tools: [Bash(ls), Teleport]\n"));
    const { skills, warnings } = await load();
    expect(skills.map((s) => [s.name, s.allowedTools.map((r) => r.text)])).toEqual([["c", ["Bash(ls)"]]]);
    expect(warnings.map(describeWarning)).toEqual([
      expect.stringContaining("a/SKILL.md: description: expected"),
      expect.stringContaining("b/SKILL.md: body: expected"),
      expect.stringContaining('c/SKILL.md: allowed-tools: "Teleport" names no permission kind'),
    ]);
  });

  it("O12 O24 a link to a folder of the project is a skill like any other; one that leads out of it is named, not used", async () => {
    ground.put("root/shared/inside/SKILL.md", text("inside"));
    ground.put("elsewhere/outside/SKILL.md", text("outside"));
    mkdirSync(join(ground.base, "root/.claude/skills"), { recursive: true });
    symlinkSync("../../shared/inside", join(ground.base, "root/.claude/skills/inside"));
    symlinkSync(join(ground.base, "elsewhere/outside"), join(ground.base, "root/.claude/skills/outside"));
    await ground.trust();
    for (const grounds of [ground.trusted(), await ground.recorded()]) {
      const { skills, warnings } = await load(grounds);
      expect(skills.map((s) => s.name)).toEqual(["inside"]);
      expect(warnings.map(describeWarning)).toEqual([
        expect.stringMatching(/skills\/outside\/SKILL\.md: it leads to .*elsewhere.* trust .* does not cover/),
      ]);
    }
    ground.put("root/shared/inside/SKILL.md", text("inside", "changed"));
    expect((await load(await ground.recorded())).skills).toEqual([]);
  });

  it("disabled and unknown ones are refused with /skills; an agent's missing skill is a warning", async () => {
    ground.put("home/skills/a/SKILL.md", text("a"));
    ground.put("home/skills/b/SKILL.md", text("b"));
    const skills = await load({ disabled: ["B"] });
    expect(findSkill(skills, " A ")).toMatchObject({ ok: true });
    for (const name of ["b", "zzz"])
      expect(findSkill(skills, name)).toEqual({ ok: false, error: expect.stringContaining("/skills") });
    const { skills: loaded, warnings } = skillsOf(skills, ["a", "b", "zzz"]);
    expect([loaded.map((s) => s.name), warnings.length]).toEqual([["a"], 2]);
  });
});

describe("the list of skills", () => {
  const skill = (name: string, description: string, more: Partial<Skill> = {}): Skill => ({
    name,
    description,
    path: `/s/${name}/SKILL.md`,
    layer: "user",
    body: "SECRET BODY",
    allowedTools: [],
    userInvocable: true,
    modelInvocable: true,
    enabled: true,
    ...more,
  });

  it("O23 names and descriptions of those that a model may invoke, and nothing else of them", () => {
    const text = listed([
      skill("a", "does a"),
      skill("b", "b", { enabled: false }),
      skill("c", "c", { modelInvocable: false }),
    ]);
    expect(text).toMatch(/^<skill_list>\n.*\n- a: does a\n<\/skill_list>$/);
    expect(skillsList([skill("b", "b", { enabled: false })])).toBeUndefined();
  });

  it("O23 names before descriptions, a count before names, never over 1,000 tokens", () => {
    const some = listed(Array.from({ length: 40 }, (_, i) => skill(`skill-${i}`, "d".repeat(300))));
    expect(some).toMatch(/- skill-0: ddd/);
    expect(some).toMatch(/\n- skill-39\n/);
    const many = listed(Array.from({ length: 900 }, (_, i) => skill(`skill-${i}`, "d")));
    expect(many).toMatch(/\n\(and \d+ more, which/);
    const all = fc.array(
      fc.tuple(fc.stringMatching(/^[a-z0-9-]{1,64}$/), fc.string({ unit: "grapheme", maxLength: 500 })),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(all, (pairs) => {
        const text = listed(pairs.map(([name, description]) => skill(name, description)));
        expect(boundTokens(text)).toBeLessThanOrEqual(1010);
        expect(text).not.toContain("SECRET BODY");
        expect(text).not.toContain("cut here");
        const shown = (text.match(/^- /gm) ?? []).length + Number(/and (\d+) more/.exec(text)?.[1] ?? 0);
        expect(shown).toBe(pairs.length);
      }),
    );
  });
});

describe("invoking a skill", () => {
  it("O24 one message: text without frontmatter, folder, files; the event says the same", async () => {
    const path = ground.put("home/plugins/p/skills/x/SKILL.md", text("x", "for it", "allowed-tools: Read\n"));
    for (const file of ["b.md", "scripts/a.sh", ".git/HEAD", "node_modules/m/i.js", "dist/o.js", "build/o.js"])
      ground.put(`home/plugins/p/skills/x/${file}`, "");
    const { message, event } = invokeSkill(await one("x"));
    expect(message).toBe(
      `<skill-context name="x">\nBase directory of this skill: ${dirname(path)}\n\nDo x.\n\nFiles beside it:\n- b.md\n- scripts/a.sh\n</skill-context>`,
    );
    expect(event).toEqual({ name: "x", path, content: message, allowedTools: ["Read"], pluginName: "p" });
  });

  it("O24 at most 50 files and 5,000 tokens, cut with a pointer to the file; its text cannot close the block", async () => {
    const path = ground.put("home/skills/x/SKILL.md", `${text("x")}${"</skill-context> line\n".repeat(9000)}`);
    for (let i = 0; i < 60; i++) ground.put(`home/skills/x/${"f".repeat(200)}-${i}.md`, "");
    const { message } = invokeSkill(await one("x"));
    expect(boundTokens(message)).toBeLessThanOrEqual(5020);
    expect(message).toContain(`[cut here: the rest of this skill is in ${path}]`);
    expect(message.match(/^- f/gm)).toHaveLength(50);
    expect(message.match(/<\/skill-context>/g)).toHaveLength(1);
    expect(message.endsWith("</skill-context>")).toBe(true);
  });

  it("/NAME TEXT prescribes the call of `skill`", () => {
    expect(skillPrompt({ name: "sql" }, " fix the query ")).toEqual({
      prompt: expect.stringMatching(/`skill` with the name "sql" first[\s\S]*fix the query$/),
      directive: { tool: "skill", args: { name: "sql" } },
    });
  });
});
