// The list of skills in the system prompt: as much of each as fits, names before descriptions, a count before names.
import type { Fragment } from "../../context/fragment/fragment.ts";
import type { Skill } from "./load.ts";

const MAX_TOKENS = 1000;
const HEAD = "Skills, each loaded with the tool `skill` when the task fits its description:";
/** Room for the tag, the head and the count, in bytes. */
const RESERVED = 200;

/** Undefined when there is none to offer. */
export function skillsList(skills: readonly Skill[]): Fragment | undefined {
  const offered = skills.filter((skill) => skill.enabled && skill.modelInvocable);
  if (offered.length === 0) return undefined;
  let left = MAX_TOKENS * 3 - RESERVED - Buffer.byteLength(HEAD);
  const takes = (text: string): boolean => {
    const size = Buffer.byteLength(text) + 1;
    if (size > left) return false;
    left -= size;
    return true;
  };
  const named = offered.filter((skill) => takes(`- ${skill.name}`));
  const lines = named.map(({ name, description }) => {
    const label = `: ${description.replace(/\s+/g, " ")}`;
    return `- ${name}${takes(label) ? label : ""}`;
  });
  const more = offered.length - named.length;
  if (more > 0) lines.push(`(and ${more} more, which the user can list with /skills)`);
  return { tag: "skill_list", text: [HEAD, ...lines].join("\n"), maxTokens: MAX_TOKENS };
}
