// `shell:read-only`: whatever the rules would allow, an agent that has it only looks.
import { inspect } from "../../permission/inspect.ts";
import { onlyLooks } from "../../permission/permit.ts";
import type { Policy } from "../../permission/policy.ts";
import type { Permit, PermitCall } from "../../session/parts.ts";
import type { Conversation } from "../../session/session.ts";

type Place = { main: Pick<Conversation, "state" | "root" | "dir">; userHome: string; policy: () => Policy };

/** The refusal of a command that does more than look; undefined when the rules decide. */
export async function mustOnlyLook({ tool, input }: PermitCall, place: Place): Promise<Permit | undefined> {
  const { main, userHome, policy } = place;
  const { cwd } = main.state.context;
  const requests = tool.permissions(input, { cwd, root: main.root, sessionDir: main.dir });
  if (!requests.some(({ kind }) => kind === "shell")) return undefined;
  const parts = await inspect(requests, { cwd, userHome });
  if (onlyLooks(parts, policy())) return undefined;
  const message = "This agent may only run commands that look and change nothing. Nothing was run.";
  return { type: "deny", code: "read_only_shell", message };
}
