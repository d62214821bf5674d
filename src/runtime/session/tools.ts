// The built-in tools of one actor, each with its parts.
import { clip } from "../../base/text.ts";
import { toolEnvironment } from "../../host/environment.ts";
import type { SessionPaths } from "../../host/paths.ts";
import { hiddenBelow } from "../../permission/hidden.ts";
import { inspect } from "../../permission/inspect.ts";
import { notify } from "../../session/run.ts";
import type { Session, SessionParts } from "../../session/session.ts";
import { bashTool } from "../../tool/builtin/bash.ts";
import { createTool } from "../../tool/builtin/create.ts";
import { editTool } from "../../tool/builtin/edit.ts";
import { globTool } from "../../tool/builtin/glob.ts";
import { grepTool } from "../../tool/builtin/grep.ts";
import { listBashTool } from "../../tool/builtin/list-bash.ts";
import { readBashTool } from "../../tool/builtin/read-bash.ts";
import { type StoreScope, sessionStoreSqlTool } from "../../tool/builtin/session-store-sql.ts";
import { sqlTool } from "../../tool/builtin/sql.ts";
import { stopBashTool } from "../../tool/builtin/stop-bash.ts";
import { viewTool } from "../../tool/builtin/view.ts";
import type { Tool } from "../../tool/contract.ts";
import { createLedger } from "../../tool/ledger.ts";
import { OutputFolder } from "../../tool/output-folder.ts";
import { createShells, describeEnd } from "../../tool/shells.ts";
import type { Ground } from "../start.ts";
import { conversationTools } from "./conversation-tools.ts";
import type { LiveSession } from "./live-session.ts";

/** Whose tools they are: each agent has its own shells and its own view of files. */
export type ToolActor = {
  /** Absent for the main agent. */
  agentId?: string;
  session: () => Session;
  images: () => boolean;
  permit: SessionParts["permit"];
  /** The todo whose worker it is. */
  todoId?: string;
};

export type BuiltTools = {
  all: readonly Tool[];
  /** Calls with equal lanes run one after another; a command that only looks may run beside others. */
  lane: (tool: Tool, input: unknown) => Promise<string | undefined>;
  /** Commands that still run, by name and text; of the main agent, also those of its agents. */
  running: () => string[];
  end: () => Promise<void>;
};

/** One for all agents of the session: they share its folder. */
export const openOutputs = ({ settings: { values } }: Ground, paths: SessionPaths): OutputFolder =>
  new OutputFolder(paths.outputs, {
    maxFileBytes: values["tool.outputFileMaxBytes"],
    maxFolderBytes: values["tool.outputsMaxBytes"],
  });

export function buildTools(live: LiveSession, actor: ToolActor): BuiltTools {
  const { owner, ground } = live;
  const { values } = ground.settings;
  const env = () => toolEnvironment({ base: ground.env, secrets: ground.secrets, runId: owner.runId });
  const ledger = createLedger();
  const outputMaxBytes = values["tool.outputMaxBytes"];
  const shells = createShells({
    owner,
    onCompleted: (shell, end) => {
      // A subagent is told nothing: what it started is a return value or nothing.
      if (actor.agentId !== undefined) return;
      const content = `The command in shell ${shell.id} has ended: ${describeEnd(end)}. Its output: read_bash with shell_id ${shell.id}.`;
      const data = { shellId: shell.id, exitCode: end.exitCode };
      // A run without a person ends with its answer: no command keeps it going.
      const wakes = live.options.interactive;
      notify(actor.session(), { kind: "shell_completed", content, data, wakes });
      if (wakes) live.agents.wake();
    },
  });
  const onlyLooks = new Map<string, boolean>();
  const hidden = (folder: string) => hiddenBelow(live.approvals.policy(), folder);

  const all: Tool[] = [
    bashTool({
      shells,
      confine: (line) => live.approvals.wall.confine({ ...line, env: env() }),
      settings: { waitSeconds: values["bash.waitSeconds"], maxSeconds: values["bash.maxSeconds"], outputMaxBytes },
      outputs: live.outputs,
      readOnly: (command) => onlyLooks.get(command) ?? false,
    }),
    readBashTool({ shells }),
    stopBashTool({ shells }),
    listBashTool({ shells }),
    viewTool({ ledger, settings: { outputMaxBytes }, images: actor.images }),
    createTool({ ledger }),
    editTool({ ledger }),
    grepTool({ owner, env, hidden }),
    globTool({ owner, env, hidden }),
    sqlTool({
      owner,
      redact: ground.redact,
      onTodosChanged: async (diff) => void (await live.session.emit("session.todos_changed", diff)),
      restore: async () => live.restoreTodos(),
      worker: () => actor.todoId,
      oneAtATime: live.oneTodoAtATime,
    }),
    sessionStoreSqlTool({ owner, storePath: ground.paths.store, scope: () => storeScope(live) }),
    ...conversationTools(live, actor),
  ];

  const running = () =>
    shells.list().flatMap((shell) => (shell.end() === undefined ? [`${shell.id} (${clip(shell.command, 80)})`] : []));
  const { agentId } = actor;
  if (agentId !== undefined) live.agents.shells.set(agentId, running);

  return {
    all,
    async lane(tool, input) {
      const session = actor.session();
      const { cwd } = session.state.context;
      const requests =
        tool.group === "shell" ? tool.permissions(input, { cwd, root: session.root, sessionDir: session.dir }) : [];
      if (requests.length > 0) {
        const parts = await inspect(requests, { cwd, userHome: ground.userHome });
        for (const r of requests)
          if (r.kind === "shell")
            onlyLooks.set(
              r.command,
              parts.every((p) =>
                p.kind === "shell" ? p.looksAt !== undefined : p.kind === "read" && p.implied === true,
              ),
            );
      }
      return tool.lane?.(input, { cwd });
    },
    running: () => (agentId === undefined ? [...running(), ...agentShells(live)] : running()),
    async end() {
      await Promise.all(shells.list().map((shell) => shell.stop()));
      if (agentId !== undefined) live.agents.shells.delete(agentId);
    },
  };
}

const agentShells = ({ agents }: LiveSession): string[] =>
  [...agents.shells].flatMap(([id, running]) => running().map((shell) => `${shell} of ${id}`));

function storeScope(live: LiveSession): StoreScope {
  if (live.ground.settings.values["history.scope"] === "all") return { type: "all" };
  const { repository } = live.session.state.context;
  return {
    type: "repository",
    root: live.session.root,
    sessionId: live.session.id,
    ...(repository ? { repository } : {}),
  };
}
