// Where MCP servers are named: files and settings, lowest precedence first, each read on its own so that a bad one stops no other.
import { join } from "node:path";
import { isRecord } from "../../base/json.ts";
import { decodeUtf8, readWhole, realTarget } from "../../host/files.ts";
import { parseSettingsFile } from "../../settings/file.ts";

export type Origin = "plugin" | "user" | "project" | "agent";

export type ServerSource = {
  origin: Origin;
  /** The file, or what people call the place. */
  where: string;
  /** False: what it names is listed and never started. */
  trusted: boolean;
  /** The entries by server name, as the file has them. */
  servers: Record<string, unknown>;
  /** Why nothing could be read from it, with the line. */
  problem?: string;
  /** `file:line` of a server in it. */
  locate: (name: string) => Promise<string>;
};

const MAX_BYTES = 1024 * 1024;

type SourcePlaces = {
  everlongHome: string;
  /** The folders from the project's root down to the working folder; the nearest wins. */
  projectFolders: readonly string[];
  /** Asked with the very bytes that are used (permission/trust.ts acceptsFile). */
  accepts: (path: string, content: Uint8Array) => boolean;
};

/** `EVERLONG_HOME/mcp.json`. */
export const userSource = ({ everlongHome }: SourcePlaces): Promise<ServerSource | undefined> =>
  fileSource("user", join(everlongHome, "mcp.json"), () => true);

/** `.mcp.json` of each folder. */
export async function projectSources({ projectFolders, accepts }: SourcePlaces): Promise<ServerSource[]> {
  const sources = projectFolders.map((folder) => {
    const path = join(folder, ".mcp.json");
    return fileSource("project", path, (content) => accepts(path, content));
  });
  return (await Promise.all(sources)).filter((source) => source !== undefined);
}

/** A map that stands elsewhere: settings `mcpServers`, an agent's `mcp-servers`. */
export const mapSource = (origin: Origin, where: string, servers: unknown, trusted = true): ServerSource => ({
  origin,
  where,
  trusted,
  locate: async () => where,
  ...(isRecord(servers) ? { servers } : { servers: {}, problem: `${where} must be a map of servers by name.` }),
});

/** Undefined when there is no such file, or when it names no servers and need not (`mayLack`), as a settings file. */
export async function fileSource(
  origin: Origin,
  path: string,
  accepts: (content: Uint8Array) => boolean,
  mayLack = false,
): Promise<ServerSource | undefined> {
  const broken = (problem: string, trusted = false): ServerSource => ({
    ...mapSource(origin, path, {}, trusted),
    problem,
  });
  const read = readWhole(realTarget(path), MAX_BYTES);
  if (!read.ok) return read.error.code === "not_found" ? undefined : broken(`${path}: ${read.error.message}`);
  const trusted = accepts(read.value.bytes);
  const text = decodeUtf8(read.value.bytes);
  if (text === undefined) return broken(`${path} is not UTF-8 text.`, trusted);
  const parsed = await parseSettingsFile(path, text);
  if (!parsed.ok) return broken(parsed.error.what, trusted);
  const { value, position } = parsed.value;
  const servers = value["mcpServers"];
  if (servers === undefined && mayLack) return undefined;
  if (!isRecord(servers)) return broken(`${path} has no object "mcpServers".`, trusted);
  const locate = async (name: string) => `${path}:${(await position(["mcpServers", name])).line}`;
  return { origin, where: path, trusted, servers, locate };
}
