// Takes the requests of a call apart into what can be judged; the only step that looks at the file system.
import type { PermissionRequest } from "../schema/permission.ts";
import { inspectShell } from "./inspect-shell.ts";
import type { PermissionPart } from "./part.ts";
import { realPath } from "./path.ts";
import type { ShellPlace } from "./shell/guess.ts";

export async function inspect(requests: readonly PermissionRequest[], place: ShellPlace): Promise<PermissionPart[]> {
  const parts: PermissionPart[] = [];
  for (const [index, request] of requests.entries()) {
    if (request.kind === "shell") parts.push(...(await shellParts(request, index, place)));
    else parts.push(plainPart(request, index, place));
  }
  return parts;
}

function plainPart(
  request: Exclude<PermissionRequest, { kind: "shell" }>,
  index: number,
  place: ShellPlace,
): PermissionPart {
  switch (request.kind) {
    case "read":
    case "write":
      return { kind: request.kind, index, path: request.path, real: realPath(request.path, place.cwd) };
    case "url":
      return { kind: "url", index, url: request.url };
    case "memory":
      return { kind: "memory", index, summary: request.summary, mustAsk: request["mustAsk"] === true };
    case "mcp":
      return { kind: "mcp", index, server: request.server, tool: request.tool, readOnly: request.readOnly === true };
    case "hook":
      return { kind: "hook", index, name: request.name };
  }
}

type ShellRequest = Extract<PermissionRequest, { kind: "shell" }>;

async function shellParts(request: ShellRequest, index: number, place: ShellPlace): Promise<PermissionPart[]> {
  const { command: text } = request;
  const parts = await inspectShell(text, index, place);
  if (parts.some((part) => part.kind === "shell")) return parts;
  // A line in which no command was seen is not a line in which none runs.
  const unseen = {
    opaqueReason: "no command was found in it",
    mayRunOthers: true,
    transparent: false,
    changesOwn: false,
  };
  return [{ kind: "shell", index, text, words: [], span: { start: 0, end: text.length }, ...unseen }, ...parts];
}
