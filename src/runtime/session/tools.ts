// The built-in tools of one actor, each with its parts.

import { existsSync } from "node:fs";
import { toolEnvironment } from "../../host/environment.ts";
import type { SessionPaths } from "../../host/paths.ts";
import { hiddenBelow } from "../../permission/hidden.ts";
import { inspect } from "../../permission/inspect.ts";
import type { AskPermit } from "../../session/parts.ts";
import { notify } from "../../session/run.ts";
import type { Conversation } from "../../session/session.ts";
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
import { createShells, describeEnd } from "../../tool/shells.ts";
import { writeTodos } from "../../tool/sql/todo-tables.ts";
import type { RunningShell } from "../agent/running-shell.ts";
import type { RecallAsker } from "../recall/recall.ts";
import type { Workspace } from "../workspace.ts";
import type { Approvals } from "./approvals.ts";
import { conversationTools, type PersonParts } from "./conversation-tools.ts";
import type { SessionResources } from "./resources.ts";

/** What the tools of all actors work on. */
export type ToolServices = RecallAsker &
  Pick<
    SessionResources,
    "owner" | "outputs" | "main" | "actors" | "paths" | "oneTodoAtATime" | "options" | "snapshots"
  > & {
    approvals: Approvals;
  };

/** Whose tools they are: each agent has its own shells and its own view of files. */
type ToolActor = {
  conversation: Conversation;
  images: () => boolean;
  permit: AskPermit;
  /** The todo whose worker it is. */
  todoId?: string;
  /** Only the main agent has these. */
  person?: PersonParts;
};

export type BuiltTools = {
  all: readonly Tool[];
  /** Calls with equal lanes run one after another; a command that only looks may run beside others. */
  lane: (tool: Tool, input: unknown) => Promise<string | undefined>;
  /** Commands that still run; of the main agent, also those of its agents. */
  running: () => RunningShell[];
  end: () => Promise<void>;
};

export function buildTools(services: ToolServices, actor: ToolActor): BuiltTools {
  const { owner, workspace, approvals, outputs, main, actors, paths, options } = services;
  const { files, terminal } = options.editor ?? {};
  const { conversation, person } = actor;
  const { values } = workspace.settings;
  const env = () => toolEnvironment({ base: workspace.env, secrets: workspace.secrets, runId: owner.runId });
  const ledger = createLedger();
  const outputMaxBytes = values["tool.outputMaxBytes"];
  const shells = createShells({
    owner,
    terminal: terminal && ((line) => terminal({ ...line, env: { ...emptied(workspace.env), ...line.env } })),
    onCompleted: (shell, end) => {
      // A subagent is told nothing: what it started is a return value or nothing.
      if (!person) return;
      const content = `The command in shell ${shell.id} has ended: ${describeEnd(end)}. Its output: read_bash with shell_id ${shell.id}.`;
      const data = { shellId: shell.id, exitCode: end.exitCode };
      // A run without a person ends with its answer: no command keeps it going. What the person stopped starts nothing.
      const wakes = person.interactive && end.reason !== "stopped_by_person";
      notify(conversation, { kind: "shell_completed", content, data, wakes });
      if (wakes) person.wake();
    },
  });
  const onlyLooks = new Map<string, boolean>();
  const hidden = (folder: string) => hiddenBelow(approvals.policy(), folder);

  const all: Tool[] = [
    bashTool({
      shells,
      confine: (line) => approvals.wall.confine({ ...line, env: env() }),
      settings: { waitSeconds: values["bash.waitSeconds"], maxSeconds: values["bash.maxSeconds"], outputMaxBytes },
      outputs,
      readOnly: (command) => onlyLooks.get(command) ?? false,
    }),
    readBashTool({ shells }),
    stopBashTool({ shells }),
    listBashTool({ shells }),
    viewTool({ ledger, settings: { outputMaxBytes }, images: actor.images, files }),
    createTool({ ledger, files }),
    editTool({ ledger, files, snapshots: services.snapshots }),
    grepTool({ owner, env, hidden }),
    globTool({ owner, env, hidden }),
    sqlTool({
      owner,
      redact: workspace.redact,
      onTodosChanged: async (diff) => void (await main.emit("session.todos_changed", diff)),
      restore: async () => restoreTodos(main, paths),
      worker: () => actor.todoId,
      oneAtATime: services.oneTodoAtATime,
    }),
    sessionStoreSqlTool({ owner, storePath: workspace.paths.store, scope: () => storeScope(services) }),
    ...conversationTools(services, actor),
  ];

  const running = (): RunningShell[] =>
    shells.list().flatMap((shell) => {
      if (shell.end() !== undefined) return [];
      const { id, command } = shell;
      const stop = (): Promise<void> => shell.stop("person");
      return [{ id, command, isWaitedFor: shell.isWaitedFor(), moveToBackground: shell.release, stop }];
    });
  const { agentId } = conversation;
  const leave = agentId === undefined ? () => undefined : actors.addShells(agentId, running);

  return {
    all,
    async lane(tool, input) {
      const { cwd } = conversation.state.context;
      if (tool.group === "shell") {
        const requests = tool.permissions(input, { cwd, root: conversation.root, sessionDir: conversation.dir });
        const parts = await inspect(requests, { cwd, userHome: workspace.userHome });
        for (const r of requests)
          if (r.kind === "shell")
            onlyLooks.set(
              r.command,
              parts.every((p) =>
                p.kind === "shell" ? p.readOnlyPlaces !== undefined : p.kind === "read" && p.implied === true,
              ),
            );
      }
      return tool.lane?.(input, { cwd });
    },
    running: () => (agentId === undefined ? [...running(), ...actors.shells()] : running()),
    async end() {
      await Promise.all(shells.list().map((shell) => shell.stop()));
      leave();
    },
  };
}

/** A terminal adds to the variables of its editor: what a command may not see there is empty. */
const emptied = (env: Workspace["env"]): Record<string, string> =>
  Object.fromEntries(Object.keys(env).map((name) => [name, ""]));

function storeScope({ workspace, main }: Pick<ToolServices, "workspace" | "main">): StoreScope {
  if (workspace.settings.values["history.scope"] === "all") return { type: "all" };
  const { repository } = main.state.context;
  return { type: "repository", root: main.root, sessionId: main.id, ...(repository ? { repository } : {}) };
}

/** session.db is made from the log: after a resume or a rewind it says what the log says. */
export function restoreTodos({ state }: Pick<Conversation, "state">, { db }: Pick<SessionPaths, "db">): void {
  const { todos, deps, todoRuns } = state;
  if (todos.size > 0 || existsSync(db)) writeTodos(db, [...todos.values()], deps, todoRuns);
}
