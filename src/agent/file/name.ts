// The one form of the names of agents, skills and commands, so that `My Agent` and `my_agent` are one.
const MAX = 64;

/** Empty when nothing of it can be used. */
export function normaliseName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s_]/g, "-")
    .replace(/[^a-z0-9-]/g, "")
    .replace(/-{2,}/g, "-")
    .slice(0, MAX);
}
