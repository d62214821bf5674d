// Opens a session for a face: ground, model, log, recovery, parts; then it is a Client.
import { selectAgent } from "../../agent/catalog/show.ts";
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { VERSION } from "../../base/version.ts";
import type { ResolvedModel } from "../../model/resolve.ts";
import { isInside } from "../../permission/path.ts";
import { trustNotice } from "../../permission/trust.ts";
import type { DurableEnvelope, Envelope } from "../../schema/event/envelope.ts";
import { SessionLog } from "../../session/log.ts";
import { closeInterrupted } from "../../session/recover.ts";
import type { SessionState } from "../../session/state.ts";
import type { Flags } from "../../settings/flag.ts";
import { lowSpace } from "../../store/home.ts";
import type { LogReport } from "../../store/read-log.ts";
import { selection } from "../agent/select-agent.ts";
import { isDetached, PARENT_SESSION } from "../board/board.ts";
import type { Opened, OpenOptions, SessionChoice } from "../client.ts";
import { recordFailure } from "../failure-log.ts";
import { chooseModel } from "../model.ts";
import { type Ground, standOnGround } from "../start.ts";
import { latestSession, lookUpSession } from "../store.ts";
import { recordTelemetry } from "../telemetry.ts";
import { contextWarnings } from "./context-settings.ts";
import { Extensions } from "./extensions.ts";
import { liveClient } from "./live-client.ts";
import { LiveSession } from "./live-session.ts";
import { resumeOnModel } from "./switch-model.ts";

export async function openSession(options: OpenOptions): Promise<Result<Opened, Failure>> {
  const first = await standOnGround({ flags: options.flags as Flags, trustFolder: options.trustFolder });
  if (!first.ok) return first;
  const chosen = await choose(options.session, first.value);
  if (!chosen.ok) return chosen;
  if (chosen.value === undefined) return openOn(options, { ground: first.value, notices: [] }, undefined);
  // A log is read once: what it says of the place and the model is taken from the state that goes on.
  const resumed = await openLog(options, first.value, chosen.value);
  if (!resumed.ok) return resumed;
  const { log } = resumed.value.opened;
  const stand = await standWhereItRan(options, first.value, log.state);
  const opened = stand.ok ? await openOn(options, stand.value, resumed.value) : stand;
  if (!opened.ok) await log.close();
  return opened;
}

type OpenLog = {
  sessionId: string;
  opened: { log: SessionLog; report: LogReport; unknownTypes: Set<string> };
  /** What the log had. */
  past: DurableEnvelope[];
  /** Where events go; those before there is somebody to tell are kept. */
  face: { tell: (event: Envelope) => void; early: Envelope[] };
};

async function openLog(options: OpenOptions, ground: Ground, sessionId: string): Promise<Result<OpenLog, Failure>> {
  const past: DurableEnvelope[] = [];
  const early: Envelope[] = [];
  const face: OpenLog["face"] = { tell: (event) => void early.push(event), early };
  const opened = await SessionLog.open({
    paths: ground.paths.session(sessionId),
    quarantine: ground.paths.quarantine,
    sessionId,
    clock: systemClock,
    newId,
    onEvent: (event) => {
      if (event.type === "soft_failure") recordFailure(ground.paths.logs, { ...event.data, sessionId });
      recordTelemetry(ground, event);
      face.tell(event);
    },
    onRead: (event) => past.push(event),
    giveUpMs: options.interactive ? Number.POSITIVE_INFINITY : ground.settings.values["prompt.diskFullSeconds"] * 1000,
  });
  return opened.ok ? ok({ sessionId, opened: opened.value, past, face }) : opened;
}

/** Everything but the log of a session that goes on: of a new one nothing is made before all the rest is right. */
async function openOn(
  options: OpenOptions,
  stand: Standing,
  going: OpenLog | undefined,
): Promise<Result<Opened, Failure>> {
  const { ground, notices, recordedModel, ownModel = false } = stand;
  const resumed = going !== undefined;
  const model = await modelFor(ground, recordedModel, ownModel && options.flags["model"] === undefined);
  if (!model.ok) return model;
  const extensions = await Extensions.load(ground, options.slashNames ?? []);
  const selected = options.agent === undefined ? undefined : selectAgent(extensions.catalog, options.agent);
  if (selected && !selected.ok) return selected;
  const fresh = going ? ok(going) : await openLog(options, ground, newId());
  if (!fresh.ok) return fresh;
  const { sessionId, opened, past, face } = fresh.value;
  const paths = ground.paths.session(sessionId);

  const { log } = opened;
  const parts = { ground, log, sessionId, paths, resolved: model.value, options, extensions, past };
  const live = new LiveSession({ ...parts, created: !resumed });
  await begin(live, { resumed, opened, options, model: model.value });
  live.wantedAgent = selected?.value;
  const agent = live.agents.selected();
  if (agent && (!selected || selected.value.name === agent.name)) await extensions.selectServers(live, agent);
  // An agent that holds no tool of theirs needs no servers.
  if (!(selected?.value ?? agent)?.promptParts.includeConsolidationPrompt) extensions.open(live);
  notices.push(
    ...extensions.warnings(),
    ...ground.settings.warnings,
    ...contextWarnings(ground).map((w) => `Warning: ${w}`),
    ...model.value.warnings.map((w) => `Warning: ${w}`),
  );
  const low = lowSpace(ground.paths.home);
  if (low) notices.push(low);
  const trust = trustNotice(ground.trust);
  if (trust) notices.push(trust);
  const { values } = ground.settings;
  return ok({
    client: liveClient(live, resumed, (listener) => {
      for (const event of face.early.splice(0)) listener(event);
      face.tell = listener;
      return () => {
        face.tell = () => undefined;
      };
    }),
    notices,
    outputFormat: values.outputFormat,
    exportPath: values.exportPath,
    redact: ground.redact,
  });
}

async function choose(choice: SessionChoice, ground: Ground): Promise<Result<string | undefined, Failure>> {
  if (choice.type === "new") return ok(undefined);
  if (choice.type === "resume") return lookUpSession(choice.id, ground.paths, ground.indexing);
  const latest = await latestSession(ground.root, ground.paths, ground.indexing);
  if (!latest.ok || latest.value !== undefined) return latest;
  return fail({
    code: "nothing_to_continue",
    what: `There is no earlier session in ${ground.root}.`,
    data: "Nothing was changed.",
    next: "Start one without --continue; everlong sessions --all lists those of other folders.",
    exit: 1,
  });
}

/** `ownModel`: of the agent that the session runs as. */
type Standing = { ground: Ground; notices: string[]; recordedModel?: string | undefined; ownModel?: boolean };

/** A resumed session runs here if here is inside its root, else where it ran before, else here with a warning. */
async function standWhereItRan(
  options: OpenOptions,
  ground: Ground,
  state: SessionState,
): Promise<Result<Standing, Failure>> {
  const recordedModel = state.model || undefined;
  const ownModel = selection(state)?.data.model !== undefined;
  const { cwd, gitRoot } = state.context;
  const root = gitRoot ?? cwd;
  if (root === "" || isInside(ground.context.cwd, root)) return ok({ ground, notices: [], recordedModel, ownModel });
  try {
    process.chdir(cwd);
  } catch {
    const notice = `Warning: the session ran in ${cwd}, which cannot be entered; it goes on in ${ground.context.cwd}.`;
    return ok({ ground, notices: [notice], recordedModel, ownModel });
  }
  const there = await standOnGround({ flags: options.flags as Flags, trustFolder: options.trustFolder });
  return there.ok
    ? ok({ ground: there.value, notices: [`The session goes on in ${cwd}, where it ran.`], recordedModel, ownModel })
    : there;
}

/** What was asked for; on resume else the session's own model, and what is configured when that one is gone. */
async function modelFor(
  ground: Ground,
  recorded: string | undefined,
  keep: boolean,
): Promise<Result<ResolvedModel, Failure>> {
  if (recorded === undefined || (ground.settings.values.model !== undefined && !keep)) return chooseModel(ground);
  const same = await chooseModel(ground, recorded);
  if (same.ok) return same;
  const other = await chooseModel(ground);
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

async function begin(live: LiveSession, { resumed, opened, options, model }: Beginning): Promise<void> {
  const { session, ground } = live;
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
      context: ground.context,
      // It belongs to the session that it was started for, and shows up in no list.
      ...(isDetached(ground) ? optional("parentSessionId", ground.env[PARENT_SESSION]) : {}),
    });
    return;
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
    context: ground.context,
    ...(recovered ? { recovered: { tornBytes: report.tornBytes, damagedLines, interruptedCalls } } : {}),
  });
  // A damaged line in the middle stays where it is: it is told of once.
  const told = new Set(
    state.chain.flatMap((e) => (e.type === "session.damaged" && !e.data.file ? [e.data.offset] : [])),
  );
  for (const { line, offset, bytes, file } of report.damaged) {
    if (file || !told.has(offset)) await emit("session.damaged", { line, offset, bytes, ...(file ? { file } : {}) });
  }
  if (unknownTypes.size > 0) {
    const message = `The log has events that this everlong does not know (${[...unknownTypes].join(", ")}); they are kept and ignored.`;
    await emit("session.info", { infoType: "unknown_events", message });
  }
  await closeInterrupted(session);
  if (before !== model.target.id) live.pendingSwitch = () => resumeOnModel(live, model, before);
  // Plan mode outlives a crash; autopilot is a wish for one run.
  const mode = options.mode ?? (state.mode === "plan" ? "plan" : "interactive");
  if (mode !== state.mode) await live.setMode(mode);
  await live.restoreTodos();
}
