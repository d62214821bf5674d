// `shell:read-only`: whatever the rules would allow, an agent that has it only looks.
import { inspect } from "../../permission/inspect.ts";
import { onlyLooks } from "../../permission/permit.ts";
import type { Permit, SessionParts } from "../../session/session.ts";
import type { LiveSession } from "./live-session.ts";

/** The refusal of a command that does more than look; undefined when the rules decide. */
export async function mustOnlyLook(
  live: LiveSession,
  { tool, input }: Parameters<SessionParts["permit"]>[0],
): Promise<Permit | undefined> {
  const { cwd } = live.session.state.context;
  const requests = tool.permissions(input, { cwd, root: live.session.root, sessionDir: live.session.dir });
  if (!requests.some(({ kind }) => kind === "shell")) return undefined;
  const parts = await inspect(requests, { cwd, userHome: live.ground.userHome });
  if (onlyLooks(parts, live.approvals.policy())) return undefined;
  const message = "This agent may only run commands that look and change nothing. Nothing was run.";
  return { type: "deny", code: "read_only_shell", message };
}
