// Opens a session for a face: workspace, model, log, recovery, parts; then it is a Client.

import { consolidates } from "../../agent/catalog/definition.ts";
import { selectAgent } from "../../agent/catalog/show.ts";
import { systemClock } from "../../base/clock.ts";
import { type Failure, refusal } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { VERSION } from "../../base/version.ts";
import { isInside } from "../../host/paths.ts";
import type { ResolvedModel } from "../../model/resolve.ts";
import { trustNotice } from "../../permission/trust.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { contextWarnings } from "../../session/context-settings.ts";
import { type OpenedLog, SessionLog } from "../../session/log.ts";
import { withUnknown } from "../../session/read-session.ts";
import { closeInterrupted } from "../../session/recover.ts";
import { setMode } from "../../session/set-mode.ts";
import type { SessionState } from "../../session/state.ts";
import type { Flags } from "../../settings/flag.ts";
import { lowSpace } from "../../store/home.ts";
import { selection } from "../agent/select-agent.ts";
import { isDetached, PARENT_SESSION } from "../board/detached.ts";
import type { Opened, OpenOptions, SessionChoice } from "../client/session.ts";
import { importOffer } from "../import/offer.ts";
import { refuseImported } from "../import/read-only.ts";
import { chooseModel } from "../model.ts";
import { logEvent } from "../program-log.ts";
import { latestSession, lookUpSession } from "../store.ts";
import { recordTelemetry } from "../telemetry.ts";
import { openWorkspace, type Workspace, type WorkspaceOptions } from "../workspace.ts";
import { assembleSession, type OpenSession } from "./assemble.ts";
import { withinReach } from "./control/reach.ts";
import { extensionWarnings, loadExtensions } from "./extensions.ts";
import { sessionClient } from "./session-client.ts";
import { SessionStart } from "./session-start.ts";
import { resumeOnModel } from "./switch-model.ts";
import { restoreTodos } from "./tools.ts";

export async function openSession(options: OpenOptions): Promise<Result<Opened, Failure>> {
  const first = await openWorkspace(placeOf(options));
  if (!first.ok) return first;
  const chosen = await choose(options.session, first.value);
  if (!chosen.ok) return chosen;
  if (chosen.value === undefined) return openOn(options, { workspace: first.value, notices: [] }, undefined);
  // A log is read once: what it says of the place and the model is taken from the state that goes on.
  const resumed = await openLog(options, first.value, chosen.value);
  if (!resumed.ok) return resumed;
  const { log } = resumed.value.opened;
  const stand = await standWhereItRan(options, first.value, log.state);
  const opened = stand.ok ? await openOn(options, stand.value, resumed.value) : stand;
  if (!opened.ok) await log.close();
  return opened;
}

export const placeOf = ({ flags, trustFolder, cwd }: OpenOptions): WorkspaceOptions => ({
  flags: flags as Flags,
  trustFolder,
  ...optional("cwd", cwd),
});

type OpenLog = {
  sessionId: string;
  opened: OpenedLog;
  /** Where events go; those before there is somebody to tell are kept. */
  face: { tell: (event: Envelope) => void; early: Envelope[]; observe: (event: Envelope) => void };
};

async function openLog(
  options: OpenOptions,
  workspace: Workspace,
  sessionId: string,
): Promise<Result<OpenLog, Failure>> {
  const early: Envelope[] = [];
  const face: OpenLog["face"] = { tell: (event) => void early.push(event), early, observe: () => undefined };
  const opened = await SessionLog.open({
    paths: workspace.paths.session(sessionId),
    quarantine: workspace.paths.quarantine,
    sessionId,
    clock: systemClock,
    newId,
    onEvent: (event) => {
      logEvent(workspace, event, sessionId);
      recordTelemetry(workspace, event);
      face.observe(event);
      face.tell(event);
    },
    giveUpMs: options.interactive
      ? Number.POSITIVE_INFINITY
      : workspace.settings.values["prompt.diskFullSeconds"] * 1000,
  });
  return opened.ok ? ok({ sessionId, opened: opened.value, face }) : opened;
}

const EMPTY_LOG =
  "Warning: the log of this session is empty, so the conversation begins anew. If it held one, a backup may still have it.";

/** Everything but the log of a session that goes on: of a new one nothing is made before all the rest is right. */
async function openOn(
  options: OpenOptions,
  stand: Standing,
  going: OpenLog | undefined,
): Promise<Result<Opened, Failure>> {
  const { workspace, notices, recordedModel, ownModel = false } = stand;
  const resumed = going !== undefined;
  const model = await modelFor(workspace, recordedModel, ownModel && options.flags["model"] === undefined);
  if (!model.ok) return model;
  const extensions = await loadExtensions(workspace, options.slashNames);
  const selected = options.agent === undefined ? undefined : selectAgent(extensions.catalog, options.agent);
  if (selected && !selected.ok) return selected;
  const fresh = going ? ok(going) : await openLog(options, workspace, newId());
  if (!fresh.ok) return fresh;
  const { sessionId, opened, face } = fresh.value;
  const { log, past } = opened;
  const open = assembleSession({ workspace, log, sessionId, resolved: model.value, options, extensions, past });
  const { agents, mcp, index } = open;
  face.observe = (event) => index.observations.see(event);
  const before = await begin(open, { resumed, opened, options, model: model.value });
  const start = new SessionStart(open, {
    created: !resumed,
    agent: selected?.value,
    switchModel: before === undefined ? undefined : () => resumeOnModel(open, model.value, before),
  });
  const current = agents.selected();
  if (current && (!selected || selected.value.name === current.name)) await mcp.select(current, agents.runMcpTask);
  const agent = selected?.value ?? current;
  // An agent that has no tool of theirs needs no servers.
  if (!agent || !consolidates(agent)) mcp.open(agents.runMcpTask);
  notices.push(
    ...extensionWarnings(extensions),
    ...workspace.settings.warnings,
    ...contextWarnings(workspace.settings).map((w) => `Warning: ${w}`),
    ...model.value.warnings.map((w) => `Warning: ${w}`),
  );
  if (going && past.length === 0) notices.push(EMPTY_LOG);
  const low = lowSpace(workspace.paths.home);
  if (low) notices.push(low);
  const trust = trustNotice(workspace.trust);
  if (trust) notices.push(trust);
  const offer = options.interactive && !resumed ? importOffer(workspace) : undefined;
  if (offer) notices.push(offer);
  const { values } = workspace.settings;
  const client = sessionClient(open, {
    start,
    resumed,
    logged: withUnknown(past, opened.unknown),
    subscribe: (listener) => {
      for (const event of face.early.splice(0)) listener(event);
      face.tell = listener;
      return () => {
        face.tell = () => undefined;
      };
    },
  });
  return ok({
    client: values["session.control"] ? withinReach(client, open) : client,
    notices,
    outputFormat: values.outputFormat,
    exportPath: values.exportPath,
    redact: workspace.redact,
  });
}

async function choose(choice: SessionChoice, workspace: Workspace): Promise<Result<string | undefined, Failure>> {
  if (choice.type === "new") return ok(undefined);
  if (choice.type === "resume") {
    const id = await lookUpSession(choice.id, workspace.paths, workspace.indexing);
    const refused = id.ok ? refuseImported(id.value) : undefined;
    return refused ? fail(refused) : id;
  }
  const latest = await latestSession(workspace.root, workspace.paths, workspace.indexing);
  if (!latest.ok || latest.value !== undefined) return latest;
  return fail(
    refusal(
      "nothing_to_continue",
      `No earlier session in ${workspace.root}.`,
      "Start one without --continue; everlong sessions --all lists those of other folders.",
    ),
  );
}

/** `ownModel`: of the agent that the session runs as. */
type Standing = { workspace: Workspace; notices: string[]; recordedModel?: string | undefined; ownModel?: boolean };

/** A resumed session runs here if here is inside its root, else where it ran before, else here with a warning. */
async function standWhereItRan(
  options: OpenOptions,
  workspace: Workspace,
  state: SessionState,
): Promise<Result<Standing, Failure>> {
  const recordedModel = state.model || undefined;
  const ownModel = selection(state)?.data.model !== undefined;
  const { cwd, gitRoot } = state.context;
  const root = gitRoot ?? cwd;
  // A face that names the folder has asked for that one.
  if (options.cwd !== undefined || root === "" || isInside(workspace.context.cwd, root))
    return ok({ workspace, notices: [], recordedModel, ownModel });
  try {
    process.chdir(cwd);
  } catch {
    const notice = `Warning: the session ran in ${cwd}, which cannot be entered; it continues in ${workspace.context.cwd}.`;
    return ok({ workspace, notices: [notice], recordedModel, ownModel });
  }
  const there = await openWorkspace(placeOf(options));
  return there.ok
    ? ok({ workspace: there.value, notices: [`Continuing in ${cwd}, where the session ran.`], recordedModel, ownModel })
    : there;
}

/** What was asked for; on resume else the session's own model, and what is configured when that one is gone. */
async function modelFor(
  workspace: Workspace,
  recorded: string | undefined,
  keep: boolean,
): Promise<Result<ResolvedModel, Failure>> {
  if (recorded === undefined || (workspace.settings.values.model !== undefined && !keep)) return chooseModel(workspace);
  const same = await chooseModel(workspace, recorded);
  if (same.ok) return same;
  const other = await chooseModel(workspace);
  if (other.ok)
    other.value.warnings.push(`${recorded}, the session's model so far, cannot be used here: ${same.error.what}`);
  return other;
}

type Beginning = {
  resumed: boolean;
  opened: OpenLog["opened"];
  options: OpenOptions;
  model: ResolvedModel;
};

/** Gives the model of before, when the session goes on with another one. */
async function begin(
  { session, workspace, paths }: OpenSession,
  { resumed, opened, options, model }: Beginning,
): Promise<string | undefined> {
  const { emit, state } = session;
  if (!resumed || state.eventCount === 0) {
    await emit("session.start", {
      sessionId: session.id,
      version: 1,
      producer: "everlong",
      everlongVersion: VERSION,
      startTime: systemClock.now(),
      model: model.target.id,
      modelReason: model.reason,
      mode: options.mode ?? "interactive",
      context: workspace.context,
      // It belongs to the session that it was started for, and shows up in no list.
      ...(isDetached(workspace) ? optional("parentSessionId", workspace.env[PARENT_SESSION]) : {}),
    });
    return undefined;
  }
  const { report, unknownTypes } = opened;
  const before = state.model;
  const damagedLines = report.damaged.length - (report.tornBytes > 0 ? 1 : 0);
  const interruptedCalls = state.openCalls.length;
  const recovered = report.damaged.length + interruptedCalls > 0;
  await emit("session.resume", {
    resumeTime: systemClock.now(),
    eventCount: state.eventCount,
    model: before,
    context: workspace.context,
    ...(recovered ? { recovered: { tornBytes: report.tornBytes, damagedLines, interruptedCalls } } : {}),
  });
  // A damaged line in the middle stays where it is: it is told of once.
  const announced = new Set(
    state.chain.filter((e) => e.type === "session.damaged").flatMap(({ data }) => (data.file ? [] : [data.offset])),
  );
  for (const { line, offset, bytes, file } of report.damaged) {
    if (file || !announced.has(offset))
      await emit("session.damaged", { line, offset, bytes, ...(file ? { file } : {}) });
  }
  if (unknownTypes.size > 0) {
    const message = `The log has events that this everlong does not know (${[...unknownTypes].join(", ")}); they are kept and shown, and nothing is done with them.`;
    await emit("session.info", { infoType: "unknown_events", message });
  }
  await closeInterrupted(session);
  // Plan mode outlives a crash; autopilot is a wish for one run.
  const mode = options.mode ?? (state.mode === "plan" ? "plan" : "interactive");
  await setMode(session, mode);
  restoreTodos(session, paths);
  return before === model.target.id ? undefined : before;
}
