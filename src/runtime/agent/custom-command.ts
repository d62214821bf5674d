// The slash commands that the user has added, skills among them: asked before a session is opened for one.

import { loadSkills } from "../../agent/skill/load.ts";
import type { Flags } from "../../settings/flag.ts";
import type { OpenOptions } from "../client/session.ts";
import { customCommands } from "../session/extensions.ts";
import { openWorkspace } from "../workspace.ts";

export async function customCommandNames({
  flags,
  trustFolder,
  slashNames,
}: Pick<OpenOptions, "flags" | "trustFolder" | "slashNames">): Promise<string[]> {
  const workspace = await openWorkspace({ flags: flags as Flags, trustFolder });
  if (!workspace.ok) return []; // nothing can be opened either
  const { paths, root, context, trust, settings } = workspace.value;
  const folders = { everlongHome: paths.home, root, cwd: context.cwd, trust };
  const { commands } = await customCommands(folders, slashNames);
  const { skillDirectories: directories, disabledSkills: disabled } = settings.values;
  const { skills } = await loadSkills({ ...folders, directories, disabled });
  return [...commands, ...skills.filter((skill) => skill.userInvocable)].map(({ name }) => name);
}
