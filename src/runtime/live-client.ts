// The Client of one open session: what a face may do with it.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { within } from "../base/abort.ts";
import { fail, ok } from "../base/result.ts";
import type { Envelope } from "../schema/event/envelope.ts";
import { compactManually, describeCompaction, settleCompaction } from "../session/compact-now.ts";
import { cancelCompaction } from "../session/compaction.ts";
import { type ExportFormat, exportFormats, exportSession } from "../session/export/export.ts";
import { forkSession } from "../session/fork.ts";
import { planRewind, rewind } from "../session/rewind.ts";
import { interrupt, submit, untilIdle } from "../session/run.ts";
import { undoCompaction } from "../session/undo-compaction.ts";
import { atomicWrite } from "../store/atomic-write.ts";
import { attachText } from "./attach.ts";
import { metaOf } from "./checkpoints.ts";
import type { Client, CommandResult, SessionView } from "./client.ts";
import { contextReport, listPermissions, sessionFacts } from "./client-report.ts";
import type { LiveSession } from "./live-session.ts";
import { listModels } from "./model-list.ts";
import { recallIn } from "./recall.ts";
import { settingsCommand } from "./settings-command.ts";
import { switchModel } from "./switch-model.ts";
import { trustSession } from "./trust-command.ts";

type Subscribe = (listener: (event: Envelope) => void) => () => void;

const CLOSE_MS = 5000;
const SETTLE_MS = 30_000;

const refused = (code: string, what: string, next: string, exit: 1 | 2 = 1): CommandResult =>
  fail({ code, what, data: "Nothing was changed.", next, exit });

export function liveClient(live: LiveSession, resumed: boolean, subscribe: Subscribe): Client {
  const { session, approvals } = live;
  const { state } = session;
  return {
    sessionId: session.id,
    dir: session.dir,
    resumed,
    view: () => view(live),
    on: subscribe,
    ready: () => live.ready(),
    async send(text, options = {}) {
      await live.ready();
      await approvals.load();
      const { attached, ...rest } = options;
      const content = attached === undefined ? text : `${text}\n\n${await attachText(session.dir, attached)}`;
      // Told to stop while it was made ready: no turn may begin any more.
      if (live.stopping.signal.aborted) return;
      await submit(session, { content, source: "user", ...rest, ...(attached === undefined ? {} : { display: text }) });
    },
    untilIdle: () => untilIdle(session),
    interrupt(reason) {
      if (reason !== "user") live.stopping.abort();
      return interrupt(session, reason);
    },
    models: () => listModels(live),
    setModel: (name) => switchModel(live, name),
    setMode: (mode) => live.setMode(mode),
    async rename(title) {
      if (title.trim() === "")
        return refused("command_usage", "A name is needed.", "For example: /rename parser work", 2);
      await session.emit("session.title_changed", { title: title.trim(), userNamed: true });
      await live.updateIndex();
      return ok(`This session is now called "${title.trim()}".`);
    },
    async rewind(to, preview = false) {
      const { mode } = state;
      const plan = preview ? planRewind(state, to) : await rewind(session, to);
      if (!plan.ok) return plan;
      const gone = plan.value.prompts.map((p) => `${p.ref}: ${p.content.split("\n", 1)[0]?.slice(0, 80)}`);
      if (preview) return ok([`/rewind N goes back N messages; 1 would take back:`, ...gone].join("\n"));
      // What is in force stays in force: the conversation goes back, not the user's choices.
      if (state.model !== live.target.id) {
        await session.emit("session.model_change", {
          previousModel: state.model,
          newModel: live.target.id,
          cause: "rewind",
        });
      }
      await live.setMode(mode);
      await live.restoreTodos();
      await live.updateIndex();
      const note = "They stay in the log and can be found by recall. Files and what commands did are not undone.";
      return ok(
        [`Went back; ${gone.length} message${gone.length === 1 ? "" : "s"} left the conversation:`, ...gone, note].join(
          "\n",
        ),
      );
    },
    async fork(name) {
      const forked = await forkSession(state, live.ground.paths, { ...(name ? { name } : {}) });
      return forked.ok ? ok(`Forked into ${forked.value}: everlong --resume ${forked.value}`) : forked;
    },
    async exportTo(format, path) {
      if (!exportFormats.includes(format as ExportFormat)) {
        return refused(
          "command_usage",
          `"${format}" is not an export format.`,
          `Formats: ${exportFormats.join(", ")}.`,
          2,
        );
      }
      const target = resolve(state.context.cwd, path ?? `everlong-${session.id.slice(0, 8)}.${format}`);
      const written = await atomicWrite(target, exportSession(state, format as ExportFormat, live.ground.redact), {
        private: true,
      });
      return written.ok ? ok(`Written to ${target}`) : written;
    },
    async permissions(args) {
      await approvals.load();
      const [verb, scope] = args.split(/\s+/);
      if (args === "") return ok(listPermissions(live));
      if (verb !== "reset" || (scope !== "session" && scope !== "location")) {
        return refused(
          "command_usage",
          `/permissions does not take "${args}".`,
          "Try /permissions reset session or /permissions reset location.",
          2,
        );
      }
      const done = await approvals.reset(scope);
      if (!done.ok) return done;
      return ok(`The approvals of this ${scope} are gone.`);
    },
    setAllowAll: (on) => approvals.setAllowAll(on),
    addFolder(path) {
      const folder = resolve(state.context.cwd, path);
      if (path === "" || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
        return refused("not_a_folder", `"${path}" is not a folder.`, "Give the path of an existing folder.", 2);
      }
      approvals.addFolder(folder);
      return ok(`The agent may now work in ${folder} too, for this session.`);
    },
    async settings(args) {
      const done = await settingsCommand(args);
      if (done.ok) await live.reloadSettings();
      return done;
    },
    trust: (args) => trustSession(live, args),
    recall: (query) => recallIn(live, query),
    facts: (what, wanted) => sessionFacts(live, what, wanted),
    compact: (focus) => compact(live, focus),
    contextReport: () => contextReport(live),
    async recordCommand(command, args, success, output) {
      await session.emit("command.complete", { command, args, success, output });
    },
    close: (end) => close(live, end),
  };
}

async function compact(live: LiveSession, focus: string): Promise<CommandResult> {
  const { session } = live;
  if (focus === "cancel") {
    const cancelled = await cancelCompaction(session, "user");
    return cancelled
      ? ok("The compaction was cancelled; the conversation is unchanged.")
      : refused("nothing_running", "No compaction is running.", "Start one with /compact.");
  }
  if (focus === "undo") return undoCompaction(session);
  const done = await compactManually(session, focus);
  if (!done.ok) return done;
  const last = session.state.checkpoints.at(-1);
  return ok(describeCompaction(done.value, last ? metaOf(last).title : ""));
}

async function close(live: LiveSession, end: Parameters<Client["close"]>[0]): Promise<void> {
  const { session, log } = live;
  interrupt(session, end.type === "signal" ? "signal" : "exit");
  // A session that cannot be written any more has already said so.
  await within(
    untilIdle(session).catch(() => undefined),
    CLOSE_MS,
  );
  const left = live.tools.running();
  // A run without a person waits a little for a summary that is being written; a person who leaves does not.
  const waitMs = end.type !== "routine" || live.options.interactive ? 0 : SETTLE_MS;
  await settleCompaction(session, waitMs, live.stopping.signal).catch(() => undefined);
  await Promise.all([live.owner.end(), live.tools.end()]);
  const changed = [...session.state.changedFiles];
  try {
    if (left.length > 0)
      await log.emit("session.info", {
        infoType: "shells_ended",
        message: `Ended with the session, in the background: ${left.join(", ")}.`,
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
      currentTokens: session.live.currentTokens,
    });
  } catch {
    // The log cannot be written: what was acknowledged is in it, and the failure was reported when it began.
  }
  await within(live.updateIndex(), CLOSE_MS);
  await live.index.close();
  await log.close();
}

function view(live: LiveSession): SessionView {
  const { session, ground } = live;
  const { state } = session;
  return {
    sessionId: session.id,
    title: state.title,
    userNamed: state.userNamed,
    model: live.target.id,
    modelReason: live.modelReason,
    promptLimit: live.limits.promptLimit,
    mode: state.mode,
    context: state.context,
    allowAll: live.approvals.allowAll,
    trusted: ground.trust.trusted,
    usage: Object.fromEntries(state.usage),
    apiDurationMs: state.apiDurationMs,
    currentTokens: session.live.currentTokens,
    changedFiles: [...state.changedFiles].map(([path, c]) => ({ path, ...c })),
    todos: [...state.todos.values()],
    deps: state.deps,
    queue: state.queue.map((m) => m.content),
    promptCount: state.promptCount,
    busy: session.live.driving !== undefined,
    lastTurn: session.live.lastTurn,
  };
}
