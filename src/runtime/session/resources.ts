// What every part of an open session works on, made before any of them: workspace, log, main conversation, store, processes.

import { newId } from "../../base/id.ts";
import { Mutex } from "../../base/mutex.ts";
import type { SessionPaths } from "../../host/paths.ts";
import { createOwner, type Owner } from "../../host/process.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { SessionLog } from "../../session/log.ts";
import { type Conversation, newLiveState } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import { OutputFolder } from "../../tool/output-folder.ts";
import { type FileSnapshots, fileSnapshots } from "../../tool/snapshot.ts";
import { ActorDirectory } from "../agent/actor-directory.ts";
import type { OpenOptions } from "../client/session.ts";
import type { Workspace } from "../workspace.ts";
import { SessionIndex } from "./index.ts";

export type SessionResources = {
  workspace: Workspace;
  options: OpenOptions;
  paths: SessionPaths;
  log: SessionLog;
  /** The main agent's conversation. */
  main: Conversation;
  /** The conversations beside it, on the same log. */
  actors: ActorDirectory;
  /** Aborts when the process is told to stop: waits at the end of a run give up. */
  stopping: AbortController;
  owner: Owner;
  /** One folder of outputs for all actors. */
  outputs: OutputFolder;
  /** Old bytes of files that are changed, for a rewind. */
  snapshots: FileSnapshots;
  index: SessionIndex;
  /** index.md, workspace.yaml and the store come up to the log; what failed is told softly. */
  updateIndex: () => Promise<void>;
  /** Todos change one step at a time, whoever changes them. */
  oneTodoAtATime: Mutex;
  /** False when some agent of this session has used the id before. */
  claimCall: (toolCallId: string) => boolean;
};

export type ResourceOptions = {
  workspace: Workspace;
  options: OpenOptions;
  log: SessionLog;
  sessionId: string;
  /** Every event of the log so far. */
  past: readonly DurableEnvelope[];
};

export function openResources({ workspace, options, log, sessionId, past }: ResourceOptions): SessionResources {
  const paths = workspace.paths.session(sessionId);
  const stopping = new AbortController();
  const { values } = workspace.settings;
  const index = new SessionIndex(
    workspace,
    sessionId,
    (rebuilt) => log.publish("store.rebuilt", rebuilt),
    ({ code, message, ...more }) => {
      if ("count" in more) log.publish("graphiti.dropped", { count: more.count });
      log.publish("soft_failure", { part: "graphiti", code, message, sessionId });
    },
  );
  const main = conversationOn({ log, paths, workspace }, { sessionId, state: log.state, signal: stopping.signal });
  let callIds: Set<string> | undefined;
  return {
    workspace,
    options,
    paths,
    log,
    main,
    actors: new ActorDirectory(),
    stopping,
    owner: createOwner({ runId: newId() }),
    outputs: new OutputFolder(paths.outputs, {
      maxFileBytes: values["tool.outputFileMaxBytes"],
      maxFolderBytes: values["tool.outputsMaxBytes"],
    }),
    snapshots: fileSnapshots(paths.snapshots, () => lastPrompt(main.state)),
    index,
    async updateIndex() {
      const soft = await index.update(main.state);
      if (soft) main.publish("soft_failure", { ...soft, sessionId });
    },
    oneTodoAtATime: new Mutex(),
    claimCall(toolCallId) {
      callIds ??= callIdsOf(past);
      if (callIds.has(toolCallId)) return false;
      callIds.add(toolCallId);
      return true;
    },
  };
}

type Speaker = { sessionId: string; agentId?: string; state: SessionState; signal: AbortSignal };

/** A conversation on the session's log; of a subagent its events carry the id. */
export function conversationOn(
  { log, paths, workspace }: Pick<SessionResources, "log" | "paths" | "workspace">,
  { sessionId, agentId, state, signal }: Speaker,
): Conversation {
  return {
    id: sessionId,
    dir: paths.dir,
    root: workspace.root,
    ...(agentId === undefined ? {} : { agentId }),
    signal,
    state,
    emit: (type, data, parentId) => log.emit(type, data, { parentId, agentId }),
    publish: (type, data) => log.publish(type, data, agentId),
    live: newLiveState(state),
  };
}

function callIdsOf(events: readonly DurableEnvelope[]): Set<string> {
  const ids = new Set<string>();
  for (const e of events)
    if (e.type === "assistant.message") for (const { toolCallId } of e.data.toolRequests) ids.add(toolCallId);
  return ids;
}

/** The message that is being worked on, by its event: it is another one after a rewind too. */
const lastPrompt = ({ chain }: SessionState): string =>
  chain.findLast((event) => event.type === "user.message" && event.agentId === undefined)?.id ?? "";
