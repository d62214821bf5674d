// Whether a slash command is one of the user's own, or a skill: asked before a session is opened for it.
import { loadCommands } from "../agent/command/load.ts";
import { loadSkills } from "../agent/skill/load.ts";
import type { Flags } from "../settings/flag.ts";
import type { OpenOptions } from "./client.ts";
import { standOnGround } from "./start.ts";

export async function isCustomCommand(
  name: string,
  { flags, trustFolder, slashNames = [] }: Pick<OpenOptions, "flags" | "trustFolder" | "slashNames">,
): Promise<boolean> {
  const ground = await standOnGround({ flags: flags as Flags, trustFolder });
  if (!ground.ok) return false; // opening the session says what is wrong
  const { paths, root, context, trust, settings } = ground.value;
  const grounds = { everlongHome: paths.home, root, cwd: context.cwd, trust };
  const { commands } = await loadCommands({ ...grounds, builtins: slashNames });
  const { skillDirectories: directories, disabledSkills: disabled } = settings.values;
  const { skills } = await loadSkills({ ...grounds, directories, disabled });
  return commands.some((c) => c.name === name) || skills.some((s) => s.name === name && s.userInvocable);
}
