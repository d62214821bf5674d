// The names under which a model calls MCP tools: valid for every provider, unique, and the same for the same set of tools.
import { createHash } from "node:crypto";

export type ToolKey = { server: string; tool: string };

const MAX = 64;
const HASH = 8;

/** The name that people see: `server/tool`. */
export const displayName = ({ server, tool }: ToolKey): string => `${server}/${tool}`;

/** A server cannot hold two tools of one name, so the pair is a key; JSON keeps `a/b`+`c` from `a`+`b/c`. */
const keyOf = ({ server, tool }: ToolKey): string => JSON.stringify([server, tool]);

/** A pure function of the set: order does not matter. */
export function toolNames(tools: Iterable<ToolKey>): (key: ToolKey) => string | undefined {
  const all = new Map([...tools].map((tool) => [keyOf(tool), tool]));
  const sharing = Map.groupBy(all.values(), plainName);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const [plain, [tool, another]] of sharing) {
    if (!tool || another || plain.length > MAX) continue;
    names.set(keyOf(tool), plain);
    taken.add(plain);
  }
  // In a fixed order, so that even names made to collide are told apart alike in every run.
  for (const key of [...all.keys()].sort()) {
    const tool = all.get(key);
    if (!tool || names.has(key)) continue;
    const name = hashedName(tool, taken);
    names.set(key, name);
    taken.add(name);
  }
  return (key) => names.get(keyOf(key));
}

/** Some providers want a letter or `_` first. */
function plainName({ server, tool }: ToolKey): string {
  return `${server}-${tool}`.replace(/[^A-Za-z0-9_-]/gu, "_").replace(/^(?![A-Za-z_])/, "_");
}

function hashedName(tool: ToolKey, taken: ReadonlySet<string>): string {
  const start = plainName(tool).slice(0, MAX - HASH - 1);
  for (let n = 0; ; n++) {
    const text = `${displayName(tool)}${n === 0 ? "" : `#${n}`}`;
    const name = `${start}-${createHash("sha256").update(text).digest("hex").slice(0, HASH)}`;
    if (!taken.has(name)) return name;
  }
}
