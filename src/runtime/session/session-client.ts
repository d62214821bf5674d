// The Client of one open session: what a face may do with it.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { within } from "../../base/abort.ts";
import { refusal } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import { escapeTags } from "../../base/tag.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { settleCompaction } from "../../session/compact-now.ts";
import { interrupt, submit, takeBack, untilStill } from "../../session/run.ts";
import { setMode } from "../../session/set-mode.ts";
import type { SessionState } from "../../session/state.ts";
import { agentClient } from "../agent/client.ts";
import { shellText } from "../agent/running-shell.ts";
import { skillsToLoad } from "../agent/select-agent.ts";
import { tasksClient, untilIdle } from "../agent/tasks-client.ts";
import { consolidationClient } from "../board/client.ts";
import { consolidateOnExit } from "../board/consolidate-exit.ts";
import type { Client, SessionView } from "../client/session.ts";
import { lazily } from "../lazily.ts";
import { chooseListedModel } from "../model.ts";
import { listModels } from "../model-list.ts";
import { recallIn } from "../recall/recall.ts";
import { storedSettings } from "../settings-access.ts";
import { trustAccess } from "../trust-access.ts";
import { reloadSettings } from "../workspace.ts";
import type { OpenSession } from "./assemble.ts";
import { attachText, keepImages } from "./attach.ts";
import { checkpointViews } from "./checkpoints.ts";
import { invoke } from "./extensions.ts";
import { historyClient } from "./history-client.ts";
import { mentionsIn } from "./mention.ts";
import { pathFinder } from "./path-finder.ts";
import { sessionSelf } from "./session-self.ts";
import type { SessionStart } from "./session-start.ts";
import { switchModel } from "./switch-model.ts";
import { createUserShells } from "./user-shell.ts";

type Subscribe = (listener: (event: Envelope) => void) => () => void;

/** A hook at the end must not keep a person waiting. */
const SESSION_END_MS = 30_000;
const SIGNAL_END_MS = 1500;
const CLOSE_MS = 5000;
const SETTLE_MS = 30_000;
/** File memory may be made tidier by one model call, which has its own limit within this. */
const MEMORY_MS = 40_000;

type ClientStart = {
  start: SessionStart;
  resumed: boolean;
  /** What the log had. */
  logged: readonly Envelope[];
  subscribe: Subscribe;
};

export function sessionClient(open: OpenSession, { start, resumed, logged, subscribe }: ClientStart): Client {
  const { session, approvals, workspace, model, stopping } = open;
  const { state } = session;
  const userShells = createUserShells(open);
  let stopped: Promise<string[]> | undefined;
  const stop = () => {
    stopped ??= stopWork(open);
    return stopped;
  };
  return {
    sessionId: session.id,
    dir: session.dir,
    resumed,
    view: () => view(open),
    on: subscribe,
    past: () => state.chain,
    ready: (initialPrompt) => start.ready(initialPrompt),
    async send(message, options = {}) {
      const typed = typeof message === "string" ? { prompt: message, display: message } : message;
      await start.ready(typed.prompt);
      await approvals.load();
      const { attached, images = [], resources = [], ...rest } = options;
      const takesImages = model.target.entry.supports.images;
      const mentions = mentionsIn(typeof message === "string" ? message : "", state.context.cwd, takesImages);
      for (const notice of mentions.notices)
        await session.emit("session.info", { infoType: "mention", message: notice });
      const { prompt, display, directive } = typed;
      const maxBytes = workspace.settings.values["tool.outputMaxBytes"];
      const more = attached === undefined ? [] : [await attachText(session.dir, attached, maxBytes)];
      for (const { uri, text } of [...mentions.resources, ...resources])
        more.push(await attachText(session.dir, text, maxBytes, uri));
      const attachments = await keepImages(session.dir, [...mentions.images, ...images]);
      const content = [start.takeContext(), ...(await loadSkills(open)), escapeTags(prompt), ...more]
        .filter(Boolean)
        .join("\n\n");
      // Told to stop while it was made ready: no turn may begin any more.
      if (stopping.signal.aborted) return;
      await submit(session, {
        content,
        source: typeof message === "string" ? "user" : "command",
        ...rest,
        ...(content === display ? {} : { display }),
        ...(directive ? { directive } : {}),
        ...(attachments.length > 0 ? { attachments } : {}),
      });
    },
    untilIdle: (last) => untilIdle(open, last),
    interrupt(reason) {
      if (reason !== "user") {
        stopping.abort(reason);
        void stop();
      }
      return interrupt(session, reason);
    },
    model: { list: () => listModels(workspace, model), set: (name) => switchModel(open, name, chooseListedModel) },
    mode: { get: () => state.mode, set: (mode) => setMode(session, mode) },
    history: historyClient(open),
    tasks: tasksClient(open.agents, () => [...open.builtIn.running(), ...userShells.running()]),
    ...agentClient({ ...open, ready: () => start.ready() }),
    graph: async (work) => (await import("../graph/graph.ts")).withGraph(workspace, work, session.id),
    pins: async (work) => (await import("../pin/access.ts")).withPins(workspace, work, session.id),
    board: async (work) => (await import("../board/access.ts")).withBoard(workspace, state.context, work),
    consolidation: consolidationClient(open),
    memory: async (work) => work(await (await import("../memory/live.ts")).liveMemory(open)),
    memorySection: lazily(async () => (await import("../memory/live.ts")).memoryInSession(open)),
    session: sessionSelf(open),
    permissions: permissionsClient(open),
    settings: {
      ...storedSettings,
      async set(...change) {
        const written = await storedSettings.set(...change);
        if (written.ok) await reloadSettings(workspace, open.options);
        return written;
      },
    },
    trust: async () => ok(trustAccess(workspace, { root: session.root, cwd: state.context.cwd })),
    inbox: async () => ok(await (await import("../sidekick/inbox-access.ts")).openInbox(open)),
    checkpoints: async () => ok(checkpointViews(state, workspace.redact)),
    recall: (query) => recallIn(open, query),
    logged,
    takeBack: () => takeBack(session),
    shell: (run) => userShells.run(run),
    findPaths: pathFinder(open),
    async recordCommand(command, args, success, output) {
      await session.emit("command.complete", { command, args, success, output });
    },
    close: (end) => close(open, end, { stopped: end.type === "signal" ? stop() : stopped, resumed }),
  };
}

function permissionsClient({ approvals, session: { state } }: OpenSession): Client["permissions"] {
  return {
    async list() {
      await approvals.load();
      const { allowAll, wall } = approvals;
      const folders = approvals.policy().allowedFolders;
      return { allowAll, rules: approvals.list(), folders, sandbox: await wall.describe() };
    },
    async reset(scope) {
      await approvals.load();
      return approvals.reset(scope);
    },
    setAllowAll: (on) => approvals.setAllowAll(on),
    addFolder(path) {
      const folder = resolve(state.context.cwd, path);
      if (path === "" || !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
        return fail(refusal("not_a_folder", `"${path}" is not a folder.`, "Give the path of an existing folder.", 2));
      approvals.addFolder(folder);
      return ok(folder);
    },
  };
}

/** The texts of skills that the next message is to bring along. */
const loadSkills = (open: OpenSession): Promise<string[]> =>
  Promise.all(skillsToLoad(open).map((skill) => invoke({ conversation: open.main, approvals: open.approvals }, skill)));

/**
 * Told to stop, all that works beside the conversation is told at once: what does not want to end takes its 5 s only
 * once. Gives the commands that ran.
 */
async function stopWork({ agents, sidekicks, builtIn }: OpenSession): Promise<string[]> {
  const left = builtIn.running().map(shellText);
  // A failure would be that of the log, which shows at the next event.
  await Promise.all([agents.end("interrupted").catch(() => undefined), sidekicks.end(), builtIn.end()]);
  return left;
}

async function close(
  open: OpenSession,
  end: Parameters<Client["close"]>[0],
  { stopped, resumed }: { stopped: Promise<string[]> | undefined; resumed: boolean },
): Promise<void> {
  const { session, log, stopping } = open;
  interrupt(session, end.type === "signal" ? "signal" : "exit");
  await open.agents.end("the session ended").catch(() => undefined);
  await open.sidekicks.end();
  // A session that cannot be written any more has already said so.
  await within(
    untilStill(session).catch(() => undefined),
    CLOSE_MS,
  );
  const left = (await stopped) ?? open.builtIn.running().map(shellText);
  // A run without a person waits a little for a summary that is being written; a person who leaves does not.
  const waitMs = end.type !== "routine" || open.options.interactive ? 0 : SETTLE_MS;
  await settleCompaction(session, waitMs, stopping.signal).catch(() => undefined);
  await endExtensions(open, end.type);
  // Told to stop it does only what cannot be done later; a person who leaves has asked for the rest.
  await open.memory.end(end.type === "signal" ? stopping.signal : AbortSignal.timeout(MEMORY_MS));
  await Promise.all([open.owner.end(), open.builtIn.end()]);
  const changed = [...session.state.changedFiles];
  try {
    if (left.length > 0)
      await log.emit("session.info", {
        infoType: "shells_ended",
        message: `Ended with the session: ${left.join(", ")}.`,
      });
    await log.emit("session.shutdown", {
      ...end,
      usage: Object.fromEntries(session.state.usage),
      apiDurationMs: session.state.apiDurationMs,
      codeChanges: {
        files: changed.map(([path]) => path),
        added: changed.reduce((n, [, c]) => n + c.added, 0),
        removed: changed.reduce((n, [, c]) => n + c.removed, 0),
      },
      currentTokens: session.live.window.currentTokens,
    });
  } catch {
    // The log cannot be written: what was acknowledged is in it, and the failure was reported when it began.
  }
  // A log that was resumed may have lost its prompts to damage: only one that began here is known to be blank.
  const isBlank = !resumed && isUnused(session.state);
  if (!isBlank) await within(open.updateIndex(), CLOSE_MS);
  // To begin anew is not to leave.
  if (end.reason !== "clear") await consolidateOnExit(open);
  await log.close();
  if (isBlank) await discard(open);
  await open.index.close();
}

/** Nothing was ever said or begun in it. */
const isUnused = ({ promptCount, queue, agentIds }: SessionState): boolean =>
  promptCount === 0 && queue.length === 0 && agentIds.size === 0;

/** A session in which only commands ran leaves nothing behind. What cannot be removed stays, and no list shows it. */
async function discard({ index, session, workspace }: OpenSession): Promise<void> {
  const db = await index.store();
  if (!db.ok) return;
  const { removeSession } = await import("./remove-sessions.ts");
  await removeSession(db.value, session.id, workspace);
}

/** The hooks at the end, then the servers. */
async function endExtensions(
  { options, session, mcp }: OpenSession,
  end: "routine" | "error" | "signal",
): Promise<void> {
  const reason = { routine: options.interactive ? "user_exit" : "complete", error: "error", signal: "abort" } as const;
  const limitMs = end === "signal" ? SIGNAL_END_MS : SESSION_END_MS;
  await session.parts.hook("sessionEnd", { reason: reason[end] }, AbortSignal.timeout(limitMs));
  await mcp.end();
}

function view({ session, workspace, model, approvals }: OpenSession): SessionView {
  const { state } = session;
  return {
    sessionId: session.id,
    title: state.title,
    userNamed: state.userNamed,
    model: model.target.id,
    modelReason: model.reason,
    promptLimit: model.promptLimit,
    mode: state.mode,
    context: state.context,
    allowAll: approvals.allowAll,
    trusted: workspace.trust.trusted,
    usage: Object.fromEntries(state.usage),
    apiDurationMs: state.apiDurationMs,
    currentTokens: session.live.window.currentTokens,
    changedFiles: [...state.changedFiles].map(([path, c]) => ({ path, ...c })),
    todos: [...state.todos.values()],
    deps: state.deps,
    queue: state.queue.map((m) => m.content),
    promptCount: state.promptCount,
    busy: session.live.loop.driving !== undefined,
    lastTurn: session.live.turn.last,
  };
}
