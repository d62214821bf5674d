// Leaving a session: whether a consolidation goes on by itself, and starting it.
import { findAgent } from "../../agent/catalog/load.ts";
import { spawnDetached } from "../../host/detached.ts";
import { gate } from "../../memory/consolidate/gate.ts";
import { CONSOLIDATION_PROMPT } from "../../memory/consolidate/prompt.ts";
import type { EventData } from "../../schema/event/envelope.ts";
import { settingsTable } from "../../settings/table.ts";
import { modelFor } from "../agent/model.ts";
import { isToolDenied } from "../session/approvals.ts";
import type { LiveSession } from "../session/live-session.ts";
import { REM_AGENT } from "../sidekick/sidekicks.ts";
import { consolidationLog, DETACHED, isBoardOn, isDetached, PARENT_ENGAGEMENT, PARENT_SESSION } from "./board.ts";

/** After the session's last write to the store; nothing is waited for but the start. */
export async function consolidateOnExit(live: LiveSession): Promise<void> {
  const { ground, session, options } = live;
  const { values } = ground.settings;
  const decided = gate({
    // A run that may not call its one tool would only cost.
    on: isBoardOn(ground) && values["consolidate.onExit"] && !isToolDenied(ground, "context_board"),
    detached: isDetached(ground),
    interactive: options.interactive,
    userMessages: session.state.chain.filter((e) => e.type === "user.message" && isFromUser(e.data.source)).length,
  });
  if (decided === "nothing") return;
  // A log that cannot be written has said so before.
  const record = (data: EventData<"consolidation.gate">) =>
    session.emit("consolidation.gate", data).catch(() => undefined);
  if (decided !== "spawn") return void (await record({ outcome: decided }));
  const started = await spawnDetached(childOf(live));
  await record(started.ok ? { outcome: "spawned", model: await modelOfChild(live) } : { outcome: "spawn_failed" });
}

/** As the child chooses it for itself. */
async function modelOfChild(live: LiveSession): Promise<string> {
  const definition = findAgent(live.extensions.catalog, REM_AGENT);
  const choice = definition && (await modelFor(live, definition, { costGuard: "off" }));
  return choice?.ok ? choice.value.model : live.target.id;
}

const isFromUser = (source: string): boolean => source === "user" || source === "command";

function childOf(live: LiveSession) {
  const { ground, session, target, owner } = live;
  const program = process.argv[1] ?? "";
  return {
    command: process.execPath,
    args: [program, "--agent", REM_AGENT, "-p", CONSOLIDATION_PROMPT, "--yolo", "--silent"],
    cwd: session.state.context.cwd,
    env: {
      ...inherited(ground.env),
      ...ofFlags(live.options.flags),
      EVERLONG_MODEL: target.id,
      [PARENT_SESSION]: session.id,
      [PARENT_ENGAGEMENT]: owner.runId,
      [DETACHED]: "1",
    },
    log: consolidationLog(ground.paths.logs),
  };
}

const inherited = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** The provider's settings that this run was given by flags: the list of processes must not show them. */
function ofFlags(flags: LiveSession["options"]["flags"]): Record<string, string> {
  const rows = settingsTable.filter(({ key }) => key.startsWith("provider") && flags[key] !== undefined);
  return Object.fromEntries(rows.flatMap(({ key, env: [name] }) => (name ? [[name, String(flags[key])]] : [])));
}
