// Leaving a session: whether a consolidation goes on by itself, and starting it.

import { spawnDetached } from "../../host/detached.ts";
import { gate } from "../../memory/consolidate/gate.ts";
import { CONSOLIDATION_PROMPT } from "../../memory/consolidate/prompt.ts";
import { settingsTable } from "../../settings/table.ts";
import type { OpenOptions } from "../face.ts";
import { isToolDenied } from "../session/approvals.ts";
import type { ModelInForce } from "../session/model-in-force.ts";
import type { SessionResources } from "../session/resources.ts";
import { isBoardOn } from "./board.ts";
import { consolidationLog, DETACHED, isDetached, PARENT_ENGAGEMENT, PARENT_SESSION } from "./detached.ts";

type LeavingSession = Pick<SessionResources, "workspace" | "main" | "options" | "owner"> & {
  model: Pick<ModelInForce, "target">;
};

/** After the session's last write to the store; nothing is waited for but the start. */
export async function consolidateOnExit(leaving: LeavingSession): Promise<void> {
  const { workspace, main, options } = leaving;
  const { values } = workspace.settings;
  const decided = gate({
    // A run that may not call its one tool would only cost.
    on: isBoardOn(workspace) && values["consolidate.onExit"] && !isToolDenied(workspace, "context_board"),
    detached: isDetached(workspace),
    interactive: options.interactive,
    userMessages: main.state.chain.filter((e) => e.type === "user.message" && isFromUser(e.data.source)).length,
  });
  if (decided === "nothing") return;
  if (decided !== "spawn") return main.publish("consolidation.gate", { outcome: decided });
  const started = await spawnDetached(childOf(leaving));
  main.publish("consolidation.gate", { outcome: started.ok ? "spawned" : "spawn_failed" });
}

const isFromUser = (source: string): boolean => source === "user" || source === "command";

function childOf({ workspace, main, model, owner, options }: LeavingSession) {
  const program = process.argv[1] ?? "";
  return {
    command: process.execPath,
    args: [program, "--agent", "rem-agent", "-p", CONSOLIDATION_PROMPT, "--yolo", "--silent"],
    cwd: main.state.context.cwd,
    env: {
      ...inherited(workspace.env),
      ...ofFlags(options.flags),
      EVERLONG_MODEL: model.target.id,
      [PARENT_SESSION]: main.id,
      [PARENT_ENGAGEMENT]: owner.runId,
      [DETACHED]: "1",
    },
    log: consolidationLog(workspace.paths.logs),
  };
}

const inherited = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** The provider's settings that this run was given by flags: the list of processes must not show them. */
function ofFlags(flags: OpenOptions["flags"]): Record<string, string> {
  const rows = settingsTable.filter(({ key }) => key.startsWith("provider") && flags[key] !== undefined);
  return Object.fromEntries(rows.flatMap(({ key, env: [name] }) => (name ? [[name, String(flags[key])]] : [])));
}
