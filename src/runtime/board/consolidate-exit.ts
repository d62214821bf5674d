// Leaving a session: whether a consolidation goes on by itself, and starting it.
import { spawnDetached } from "../../host/detached.ts";
import { gate } from "../../memory/consolidate/gate.ts";
import { CONSOLIDATION_PROMPT } from "../../memory/consolidate/prompt.ts";
import { settingsTable } from "../../settings/table.ts";
import { isToolDenied } from "../session/approvals.ts";
import type { LiveSession } from "../session/live-session.ts";
import { consolidationLog, DETACHED, isBoardOn, isDetached, PARENT_ENGAGEMENT, PARENT_SESSION } from "./board.ts";

/** After the session's last write to the store; nothing is waited for but the start. */
export async function consolidateOnExit(live: LiveSession): Promise<void> {
  const { workspace, session, options } = live;
  const { values } = workspace.settings;
  const decided = gate({
    // A run that may not call its one tool would only cost.
    on: isBoardOn(workspace) && values["consolidate.onExit"] && !isToolDenied(workspace, "context_board"),
    detached: isDetached(workspace),
    interactive: options.interactive,
    userMessages: session.state.chain.filter((e) => e.type === "user.message" && isFromUser(e.data.source)).length,
  });
  if (decided === "nothing") return;
  if (decided !== "spawn") return session.publish("consolidation.gate", { outcome: decided });
  const started = await spawnDetached(childOf(live));
  session.publish("consolidation.gate", { outcome: started.ok ? "spawned" : "spawn_failed" });
}

const isFromUser = (source: string): boolean => source === "user" || source === "command";

function childOf(live: LiveSession) {
  const { workspace, session, target, owner } = live;
  const program = process.argv[1] ?? "";
  return {
    command: process.execPath,
    args: [program, "--agent", "rem-agent", "-p", CONSOLIDATION_PROMPT, "--yolo", "--silent"],
    cwd: session.state.context.cwd,
    env: {
      ...inherited(workspace.env),
      ...ofFlags(live.options.flags),
      EVERLONG_MODEL: target.id,
      [PARENT_SESSION]: session.id,
      [PARENT_ENGAGEMENT]: owner.runId,
      [DETACHED]: "1",
    },
    log: consolidationLog(workspace.paths.logs),
  };
}

const inherited = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** The provider's settings that this run was given by flags: the list of processes must not show them. */
function ofFlags(flags: LiveSession["options"]["flags"]): Record<string, string> {
  const rows = settingsTable.filter(({ key }) => key.startsWith("provider") && flags[key] !== undefined);
  return Object.fromEntries(rows.flatMap(({ key, env: [name] }) => (name ? [[name, String(flags[key])]] : [])));
}
