// The hooks of an open session: found once, run for whichever agent acts. Where there are none, none of their code is loaded.

import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { newId } from "../../base/id.ts";
import { SharedOpening } from "../../base/shared-opening.ts";
import type { Hook } from "../../hook/hook.ts";
import type { HookContext } from "../../hook/input.ts";
import { noOutcome } from "../../hook/merge.ts";
import { isAroundTools } from "../../hook/name.ts";
import type { HookHistory, HookParts, HookRunner } from "../../hook/run.ts";
import { childEnvironment } from "../../host/environment.ts";
import type { Owner } from "../../host/process.ts";
import { hasConsent } from "../../permission/consent.ts";
import { entriesOf } from "../../permission/project-files.ts";
import { changedAmong } from "../../permission/started-files.ts";
import type { DurableType, EventData } from "../../schema/event/envelope.ts";
import type { RunHook } from "../../session/parts.ts";
import { isDetached } from "../board/detached.ts";
import type { Workspace } from "../workspace.ts";

/** A subagent, as its hooks are told of it. */
type HookActor = NonNullable<HookContext["agent"]>;

export type SessionHooks = {
  /** For the main agent without an actor. */
  hookFor: (actor?: HookActor) => RunHook;
  /** The text of /hooks. */
  list: () => Promise<string>;
};

type SessionHooksParts = {
  workspace: Workspace;
  owner: Pick<Owner, "spawn">;
  sessionId: string;
  /** The event log. */
  transcriptPath: string;
  cwd: () => string;
  /** Resolves when it is in the log. */
  emit: <T extends DurableType>(agentId: string | undefined, type: T, data: EventData<T>) => Promise<unknown>;
};

type Loaded = { runner: HookRunner; hooks: readonly Hook[] };

export function sessionHooks(parts: SessionHooksParts): SessionHooks {
  const { workspace, sessionId, transcriptPath, cwd } = parts;
  // A change of settings is a new value of them: hooks that came or went with it count from then on.
  let seen: Workspace["settings"] | undefined;
  let mayRun = false;
  const history: HookHistory = { last: new Map(), warned: new Set() };
  const loading = new SharedOpening(() => loadRunner(parts, history));

  function look(): boolean {
    if (seen !== workspace.settings) {
      seen = workspace.settings;
      mayRun = !isSwitchedOff(workspace) && areThere(workspace);
      loading.forget();
    }
    return mayRun;
  }

  return {
    hookFor: (actor) => async (name, input, signal) => {
      // A consolidation that nobody sees is no session of the user's: only what guards tools runs around it.
      if (isDetached(workspace) && !isAroundTools(name)) return noOutcome;
      if (!look()) return noOutcome;
      const { runner } = await loading.get();
      const context = { sessionId, cwd: cwd(), transcriptPath, ...(actor ? { agent: actor } : {}) };
      return runner.run(name, input, context, signal);
    },
    async list() {
      look();
      const [{ describeHooks }, { runner, hooks }] = await Promise.all([import("../../hook/list.ts"), loading.get()]);
      return describeHooks(hooks, runner.lastRun);
    },
  };
}

/** By the user or the environment, which is for all of them. A project's own switch is the loader's to weigh. */
function isSwitchedOff({ settings: { values, sources } }: Workspace): boolean {
  return values.disableAllHooks && !sources.disableAllHooks.startsWith("project");
}

/** A cheap look at every place that may hold hooks. */
function areThere({ paths, trust, settings }: Workspace): boolean {
  return (
    entriesOf(paths.hooks).length > 0 ||
    entriesOf(join(paths.home, "plugins")).length > 0 ||
    trust.files.some((file) => file.kind === "hooks") ||
    Object.keys(settings.values.hooks).length > 0 ||
    settings.withheld.some((one) => one.key === "hooks")
  );
}

async function loadRunner({ workspace, owner, emit }: SessionHooksParts, history: HookHistory): Promise<Loaded> {
  const [{ loadHooks }, { createHookRunner }] = await Promise.all([
    import("../../hook/load.ts"),
    import("../../hook/run.ts"),
  ]);
  const { env, secrets, root, trust, paths, redact } = workspace;
  const rule = () => {
    const { values } = workspace.settings;
    return {
      allowLocalhost: values["hook.allowLocalhost"],
      allowHttpAuth: values["hook.allowHttpAuth"],
      offline: values.offline,
    };
  };
  const { values, sources } = workspace.settings;
  const byEnvironment = sources.disableAllHooks.startsWith("environment");
  const { hooks, warnings } = await loadHooks({
    everlongHome: paths.home,
    root,
    trust,
    http: rule(),
    disabled: byEnvironment ? values.disableAllHooks : undefined,
  });
  const warn = (message: string) => emit(undefined, "session.warning", { warningType: "hook", message });
  for (const text of warnings.map(({ path, message }) => `${path}: ${message}`)) {
    if (!history.warned.has(text)) await warn(text);
    history.warned.add(text);
  }
  const parts: HookParts = {
    hooks: () => hooks,
    changedStart: (source) => changedAmong(trust.started.get(source) ?? []),
    command: { owner, root, env: childEnvironment({ base: env, secrets }) },
    http: { rule, hasConsent: (url) => hasConsent(paths.home, root, url), variable: (name) => env[name] },
    redact,
    emit: (type, data, agentId) => emit(agentId, type, data as EventData<typeof type>),
    // A log that cannot be written tells whoever writes the next event.
    warn: (message) => void warn(message).catch(() => undefined),
    newId,
    clock: systemClock,
  };
  return { runner: createHookRunner(parts, history), hooks };
}
