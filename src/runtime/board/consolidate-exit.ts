// Leaving a session: whether a consolidation goes on by itself, and starting it.
import { CONSOLIDATOR, consolidates } from "../../agent/catalog/definition.ts";
import { spawnDetached } from "../../host/detached.ts";
import { gate } from "../../memory/consolidate/gate.ts";
import { CONSOLIDATION_PROMPT } from "../../memory/consolidate/prompt.ts";
import type { DurableEnvelope, EventData } from "../../schema/event/envelope.ts";
import { settingsTable } from "../../settings/table.ts";
import { modelFor } from "../agent/model.ts";
import type { OpenOptions } from "../client/session.ts";
import { isToolDenied } from "../session/approvals.ts";
import type { Extensions } from "../session/extensions.ts";
import type { ModelInForce } from "../session/model-in-force.ts";
import type { SessionResources } from "../session/resources.ts";
import { isBoardOn } from "./board.ts";
import { consolidationLog, DETACHED, isDetached, PARENT_ENGAGEMENT, PARENT_SESSION } from "./detached.ts";

type LeavingSession = Pick<SessionResources, "workspace" | "main" | "options" | "owner" | "stopping"> & {
  model: Pick<ModelInForce, "target">;
  extensions: Pick<Extensions, "catalog">;
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
    userMessages: options.interactive ? messagesOfUser(main.state.chain) : 0,
  });
  if (decided === "nothing") return;
  // A log that cannot be written has said so before.
  const record = (data: EventData<"consolidation.gate">) =>
    main.emit("consolidation.gate", data).catch(() => undefined);
  if (decided !== "spawn") return void (await record({ outcome: decided }));
  const started = await spawnDetached(childOf(leaving));
  await record(started.ok ? { outcome: "spawned", model: await modelOfChild(leaving) } : { outcome: "spawn_failed" });
}

/** As the child chooses it for itself. */
async function modelOfChild(leaving: LeavingSession): Promise<string> {
  const definition = leaving.extensions.catalog.agents.find(consolidates);
  const choice = definition && (await modelFor(leaving, definition, { costGuard: "off" }));
  return choice?.ok ? choice.value.model : leaving.model.target.id;
}

const messagesOfUser = (chain: readonly DurableEnvelope[]): number =>
  chain.filter((e) => e.type === "user.message" && ["user", "command"].includes(e.data.source)).length;

function childOf({ workspace, main, model, owner, options }: LeavingSession) {
  const program = process.argv[1] ?? "";
  return {
    command: process.execPath,
    args: [program, "--agent", CONSOLIDATOR, "-p", CONSOLIDATION_PROMPT, "--yolo", "--silent"],
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
