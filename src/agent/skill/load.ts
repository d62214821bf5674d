// Finds the skills of a session: a folder with a SKILL.md each; the first of a name wins.
import { basename, dirname, join } from "node:path";
import { fail, ok, type Result } from "../../base/result.ts";
import { realTarget } from "../../host/files.ts";
import { isFolder } from "../../host/paths.ts";
import { entriesOf } from "../../permission/project-files.ts";
import type { Rule } from "../../schema/permission.ts";
import { FieldReader, readToolRules } from "../file/field.ts";
import { normaliseName } from "../file/name.ts";
import { type Folder, type Grounds, type Layer, pluginFolders, projectFolders } from "../file/places.ts";
import { type Document, readDocument } from "../file/read.ts";
import { expected, type FileWarning } from "../file/warning.ts";

export type Skill = {
  /** Normalised. */
  name: string;
  description: string;
  /** Its SKILL.md. */
  path: string;
  layer: Layer;
  plugin?: string;
  /** The text as it was when its file was judged; no request has it before it is invoked. */
  body: string;
  /** Session approvals once it is invoked. */
  allowedTools: readonly Rule[];
  userInvocable: boolean;
  modelInvocable: boolean;
  /** Not among `disabledSkills`. */
  enabled: boolean;
};

export type SkillOptions = Grounds & {
  /** `skillDirectories`, absolute. */
  directories: readonly string[];
  /** `disabledSkills`. */
  disabled: readonly string[];
  /** The folder of the skills that we ship. */
  shipped?: string;
};

export type Skills = { skills: readonly Skill[]; warnings: readonly FileWarning[] };

const PROJECT = [".everlong/skills", ".github/skills", ".claude/skills"];

export async function loadSkills(options: SkillOptions): Promise<Skills> {
  const disabled = options.disabled.map(normaliseName);
  const byName = new Map<string, Skill>();
  const warnings: FileWarning[] = [];
  for (const file of skillFiles(options)) {
    const { document, warnings: unread } = await readDocument(file, options.trust);
    warnings.push(...unread);
    if (!document) continue;
    const read = new FieldReader(file.path, document.fields);
    const skill = parseSkill(read, file, document);
    warnings.push(...read.warnings);
    if (!read.unusable && !byName.has(skill.name))
      byName.set(skill.name, { ...skill, enabled: !disabled.includes(skill.name) });
  }
  return { skills: [...byName.values()], warnings };
}

/** One real file once, under the first name that it was found by. */
function skillFiles(options: SkillOptions): Folder[] {
  const roots: Folder[] = [
    ...projectFolders(options, PROJECT),
    { path: join(options.everlongHome, "skills"), layer: "user" },
    ...pluginFolders(options.everlongHome, "skills"),
    ...options.directories.map((path): Folder => ({ path, layer: "setting" })),
    ...(options.shipped === undefined ? [] : [{ path: options.shipped, layer: "builtin" } as const]),
  ];
  const seen = new Set<string>();
  return roots.flatMap((root) =>
    [root.path, ...entriesOf(root.path).map((entry) => join(root.path, entry.name))]
      .filter((folder) => isFolder(folder) && entriesOf(folder).some((entry) => entry.name === "SKILL.md"))
      .map((folder) => ({ ...root, path: join(folder, "SKILL.md") }))
      .filter(({ path }) => !seen.has(realTarget(path)) && seen.add(realTarget(path))),
  );
}

function parseSkill(read: FieldReader, { path, layer, plugin }: Folder, { body }: Document): Skill {
  const written = read.text("name") ?? basename(dirname(path));
  const name = normaliseName(written);
  if (name === "") read.refuse("name", expected("a name with letters or digits", written));
  if (body === "") read.refuse("body", expected("instructions below the frontmatter", undefined));
  return {
    name,
    description: read.description(),
    path,
    layer,
    body,
    allowedTools: readToolRules(read),
    userInvocable: read.flag("user-invocable", true),
    modelInvocable: !read.flag("disable-model-invocation", false),
    enabled: true,
    ...(plugin === undefined ? {} : { plugin }),
  };
}

/** For the `skill` tool and `/NAME`; the error is what the model or the user reads. */
export function findSkill({ skills }: Skills, name: string): Result<Skill, string> {
  const wanted = normaliseName(name);
  const skill = skills.find((one) => one.name === wanted);
  if (!skill) return fail(`No such skill: "${wanted}". /skills lists them.`);
  return skill.enabled ? ok(skill) : fail(`The skill "${wanted}" is switched off. /skills shows how to switch it on.`);
}

/** The skills that an agent's definition names; what is missing is a warning, and the agent runs all the same. */
export function skillsOf(skills: Skills, names: readonly string[]): { skills: Skill[]; warnings: string[] } {
  const matches = names.map((name) => findSkill(skills, name));
  return {
    skills: matches.flatMap((one) => (one.ok ? [one.value] : [])),
    warnings: matches.flatMap((one) => (one.ok ? [] : [one.error])),
  };
}
