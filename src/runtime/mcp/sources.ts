// Where MCP servers are named for work in this folder, lowest precedence first; next to nothing to do when nowhere.
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { pluginFolders } from "../../agent/file/places.ts";
import { fileSource, projectSources, type ServerSource, userSource } from "../../mcp/config/source.ts";
import { acceptsFile, type TrustState } from "../../permission/trust.ts";
import { projectFile, userFile } from "../../settings/load.ts";
import type { Workspace } from "../workspace.ts";

/** `trust` decides which of the project's files count, with the very bytes that are used. */
export async function mcpSources(
  { paths, root }: Pick<Workspace, "paths" | "root">,
  trust: TrustState,
): Promise<ServerSource[]> {
  const accepts = (path: string, content: Uint8Array): boolean => acceptsFile(trust, path, content);
  const places = {
    everlongHome: paths.home,
    // Of the files that trust is about, so that nothing is loaded which it has not seen.
    projectFolders: trust.files.filter(({ kind }) => kind === "mcpServers").map(({ path }) => dirname(path)),
    accepts,
  };
  const plugins = pluginFolders(paths.home, ".mcp.json").map(({ path }) => fileSource("plugin", path, () => true));
  const own = trust.files.find(({ kind, path }) => kind === "settings" && path === projectFile(root))?.path;
  // In the user's own home folder the project's file is the user's.
  const inProject = own !== undefined && !isSame(own, userFile(paths.home)) ? own : undefined;
  const sources = await Promise.all([
    ...plugins,
    userSource(places),
    fileSource("user", userFile(paths.home), () => true, true),
    projectSources(places),
    inProject === undefined ? undefined : fileSource("project", inProject, (bytes) => accepts(inProject, bytes), true),
  ]);
  return sources.flat().filter((source) => source !== undefined);
}

/** The file that keeps what one of the session's servers prints. */
export const serverLogFile = (sessionDir: string, server: string): string =>
  join(sessionDir, "mcp", `${server.replace(/[^\w.-]/g, "_").slice(0, 80)}.log`);

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false; // one is missing
  }
}
