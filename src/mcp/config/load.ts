// Which servers there are: all sources merged by name, each server with what it may do.
import type { Variables } from "./expand.ts";
import { parseServer, remoteOrigin, type ServerConfig } from "./server-config.ts";
import type { Origin, ServerSource } from "./source.ts";

/** A server by what the configuration makes of it. */
export type PlannedServer = { name: string; origin: Origin; where: string } & (
  | { type: "ready" | "disabled"; config: ServerConfig }
  | { type: "failed"; reason: string }
  /** By a person: trust in the file that names it, or consent to where it sends text. */
  | { type: "untrusted"; reason: string; needs: "trust" }
  | { type: "untrusted"; reason: string; needs: "consent"; endpoint: string }
);

export type LoadParts = {
  variables: Variables;
  /** The setting `mcp.disabled`. */
  disabled?: readonly string[];
  /** Whether text may go to that origin from this folder (permission/consent.ts). */
  consented: (origin: string) => Promise<boolean>;
};

export type LoadedServers = {
  /** Sorted by name. */
  servers: PlannedServer[];
  /** What is wrong with whole files; a project that is not trusted has its own notice. */
  problems: string[];
};

/** Later sources win on a name; one that is not trusted hides nothing. */
export async function loadServers(sources: readonly ServerSource[], parts: LoadParts): Promise<LoadedServers> {
  const servers = new Map<string, PlannedServer>();
  for (const source of sources) {
    for (const [name, entry] of Object.entries(source.servers)) {
      const planned = await plan(name, entry, source, parts);
      if (planned.type !== "untrusted" || !servers.has(name)) servers.set(name, planned);
    }
  }
  return {
    servers: [...servers.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    problems: sources.flatMap(({ problem, origin, trusted }) =>
      origin !== "project" || trusted ? (problem ?? []) : [],
    ),
  };
}

async function plan(name: string, entry: unknown, source: ServerSource, parts: LoadParts): Promise<PlannedServer> {
  const { origin, trusted } = source;
  const where = await source.locate(name);
  const place = { name, origin, where };
  if (!trusted) {
    const reason = `${where} is not trusted. Look at it, then run \`everlong trust\``;
    return { ...place, type: "untrusted", needs: "trust", reason };
  }
  const parsed = parseServer(name, entry, parts.variables);
  if (!parsed.ok) return { ...place, type: "failed", reason: `${where}: MCP server "${name}": ${parsed.error}.` };
  const config = parsed.value;
  if (!config.enabled || parts.disabled?.includes(name)) return { ...place, type: "disabled", config };
  const endpoint = origin === "project" ? remoteOrigin(config) : undefined;
  if (endpoint !== undefined && !(await parts.consented(endpoint))) {
    const reason = `it sends text to ${endpoint}: allow that with \`everlong consent grant ${endpoint}\``;
    return { ...place, type: "untrusted", needs: "consent", endpoint, reason };
  }
  return { ...place, type: "ready", config };
}
