// What invoking a skill adds to the conversation: its text, its folder, and the names of the files beside it.
import { dirname, join, relative } from "node:path";
import { escapeTags } from "../../base/tag.ts";
import { clip } from "../../base/text.ts";
import { boundTokens, fitTokens, renderFragment } from "../../context/fragment/fragment.ts";
import { entriesOf } from "../../permission/project-files.ts";
import type { Skill } from "./load.ts";

const TAG = "skill-context";
const MAX_TOKENS = 5000;
const MAX_FILES = 50;
const MAX_PATH = 200;
const MAX_DEPTH = 6;
const LEFT_OUT = new Set([".git", "node_modules", "dist", "build"]);

type SkillInvocation = {
  /** One message for the model. */
  message: string;
  /** The data of `skill.invoked`. */
  event: { name: string; path: string; content: string; allowedTools: string[]; pluginName?: string };
};

export function invokeSkill(skill: Skill): SkillInvocation {
  const { name, path, plugin } = skill;
  const folder = dirname(path);
  const files = relatedFiles(folder);
  const head = `Base directory of this skill: ${clip(folder, 1000)}`;
  const tail =
    files.length === 0 ? "" : `Files beside it:\n${files.map((file) => `- ${clip(file, MAX_PATH)}`).join("\n")}`;
  const note = `[cut here: the rest of this skill is in ${path}]`;
  const room = MAX_TOKENS - boundTokens(`${head}${tail}`) - 50;
  const body = fitTokens(escapeTags(skill.body), room, note);
  const text = [head, body, tail].filter(Boolean).join("\n\n");
  const message = renderFragment({ tag: TAG, attributes: { name }, text, maxTokens: MAX_TOKENS });
  const allowedTools = skill.allowedTools.map((rule) => rule.text);
  return {
    message,
    event: { name, path, content: message, allowedTools, ...(plugin === undefined ? {} : { pluginName: plugin }) },
  };
}

/** Relative to the folder, those nearest to it first; links are not followed. */
function relatedFiles(folder: string): string[] {
  const files: string[] = [];
  let level = [folder];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0 && files.length < MAX_FILES; depth++) {
    const below: string[] = [];
    for (const one of level) {
      for (const entry of entriesOf(one)) {
        const path = join(one, entry.name);
        if (entry.isDirectory()) {
          if (!LEFT_OUT.has(entry.name)) below.push(path);
        } else if (entry.isFile() && path !== join(folder, "SKILL.md")) files.push(relative(folder, path));
      }
      if (files.length >= MAX_FILES) break;
    }
    level = below;
  }
  return files.slice(0, MAX_FILES);
}

/** `/NAME TEXT`: a prompt that makes the agent call `skill`. */
export function skillPrompt({ name }: Pick<Skill, "name">, text: string) {
  const task = text.trim() === "" ? "Then do what it says." : `Then use it for this:\n\n${text.trim()}`;
  return {
    prompt: `Call the tool \`skill\` with the name "${name}" first. ${task}`,
    directive: { tool: "skill", args: { name } },
  };
}
