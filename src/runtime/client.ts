// The one door for faces: opening a session, and what is done on this machine without one.
import type { Failure } from "../base/failure.ts";
import { ok, type Result } from "../base/result.ts";
import type { ResultPromise } from "./client/open.ts";
import type { Opened, OpenOptions, SharedAccess } from "./client/session.ts";
import type { GraphitiTest } from "./graph/graphiti-test.ts";
import { lazily } from "./lazily.ts";
import type { McpServing } from "./mcp/serve.ts";
import type { Workspace } from "./workspace.ts";

export type { InboxEntry } from "../agent/inbox/entry.ts";
export type { BoardChange } from "../memory/board/change.ts";
export type { BoardItem } from "../memory/board/item.ts";
export type { ProxyOperations } from "../server/manage/contract.ts";
export type { PromptRef, RewindReport } from "../session/rewind.ts";
export type { EditorPlace, ShellProcess, TerminalLine } from "../tool/editor.ts";
export type { ShellRow } from "./agent/running-shell.ts";
export type { BoardChoice } from "./board/access.ts";
export { type EnclosedImage, type Enclosures, MAX_IMAGE_BYTES } from "./client/enclosure.ts";
export type {
  AbandonedAgent,
  AgentPrompt,
  Client,
  CommandResult,
  ConsolidationStatus,
  InboxAccess,
  Opened,
  OpenOptions,
  PermissionList,
  PermissionPrompt,
  PlanAnswer,
  PlanQuestion,
  Prompts,
  SessionChoice,
  SessionView,
  SharedAccess,
  TasksClient,
  UserQuestion,
} from "./client/session.ts";
export type { UserShellEnd } from "./client/typing.ts";
export type { ConsentFolder } from "./consent-access.ts";
export type { ConsentChoice, ConsentEffect, ConsentQuestion } from "./consent-question.ts";
export { reportCrash } from "./crash.ts";
export type { CheckResult } from "./doctor/check.ts";
export type { Diagnosis, DoctorOptions } from "./doctor/doctor.ts";
export type { FaceStart, TerminalVariables, UiSettings } from "./face.ts";
export type { RunningGateway } from "./gateway/gateway.ts";
export type { GatewayForRun, GatewayView, WithRequest } from "./gateway/with.ts";
export type { HistoryFound, ImportOutcome, ImportRequest, ImportWatch } from "./import/access.ts";
export type { ImportSummary } from "./import/summary.ts";
export type { McpAccess, McpServerFacts, McpServerRow } from "./mcp/access.ts";
export type { CheckpointView } from "./session/checkpoints.ts";
export type { StoredSession } from "./session/stored-sessions.ts";
export type { SettingsAccess } from "./settings-access.ts";
export type { MoveReport } from "./team/move.ts";
export type { TrustAccess } from "./trust-access.ts";
export type { WipePlan, WipeScope } from "./wipe/plan.ts";

export async function openClient(options: OpenOptions): Promise<Result<Opened, Failure>> {
  const { openSession } = await import("./session/open-session.ts");
  return openSession(options);
}

const shared: SharedAccess = {
  async board(work) {
    const { withBoard } = await import("./board/access.ts");
    return inWorkspace((workspace) => withBoard(workspace, workspace.context, work));
  },
  async graph(work) {
    const { withGraph } = await import("./graph/graph.ts");
    return inWorkspace((workspace) => withGraph(workspace, work));
  },
  async pins(work) {
    const { withPins } = await import("./pin/access.ts");
    return inWorkspace((workspace) => withPins(workspace, work));
  },
  async memory(work) {
    const { withMemory } = await import("./memory/open-memory.ts");
    const { memoryAccess } = await import("./memory/access.ts");
    const { healing } = await import("./store.ts");
    return inWorkspace((workspace) =>
      healing(workspace.paths, () => withMemory(workspace, (memory) => work(memoryAccess(memory)))),
    );
  },
  inbox: async (session) => (await import("./sidekick/inbox-access.ts")).storedInbox(session),
  checkpoints: async (session) => (await import("./session/checkpoints.ts")).storedCheckpoints(session),
  settings: lazily(async () => (await import("./settings-access.ts")).storedSettings),
  trust: async () => (await import("./trust-access.ts")).trustHere(),
};

/** The steps of one `everlong with`. */
const launchSteps = async () => ({
  ...(await import("./gateway/with.ts")),
  ...(await import("./gateway/with-child.ts")),
  ...(await import("./gateway/with-launch.ts")),
  ...(await import("./gateway/run-token.ts")),
});
export type LaunchSteps = Awaited<ReturnType<typeof launchSteps>>;

/** What is done on this machine without an open session. Each part is loaded when it is first called: a start pays for none of them. */
export const home = {
  ...shared,
  sessions: lazily(async () => (await import("./session/stored-sessions.ts")).storedSessions),
  recall: lazily(() => import("./recall/stored-recall.ts")),
  embeddings: lazily(() => import("./recall/reindex-embeddings.ts")),
  staticModel: lazily(() => import("./recall/static-model.ts")),
  imports: lazily(() => import("./import/access.ts")),
  evaluation: lazily(() => import("./recall/eval-recall.ts")),
  consent: lazily(async () => (await import("./consent-access.ts")).consentHere),
  teamConsent: lazily(async () => (await import("./team/consent.ts")).consentOfTeam),
  testGraphiti: async (test: GraphitiTest) => (await import("./graph/graphiti-test.ts")).testGraphiti(test),
  backup: lazily(async () => ({ ...(await import("./backup/backup.ts")), ...(await import("./backup/restore.ts")) })),
  removal: lazily(() => import("./wipe/wipe.ts")),
  doctor: lazily(() => import("./doctor/doctor.ts")),
  gateway: lazily(() => import("./gateway/gateway.ts")),
  tokens: lazily(() => import("./team/token-access.ts")),
  moving: lazily(() => import("./team/move.ts")),
  tenants: lazily(async () => ({ ...(await import("./team/export.ts")), ...(await import("./team/removal.ts")) })),
  demo: lazily(() => import("./demo/demo.ts")),
  /** False when there is nothing to open it with. */
  openLink: async (link: string) => (await import("./gateway/open-link.ts")).openLink(link),
  /** A fresh one-time link from the gateway that runs. */
  gatewayLink: async () => (await import("./gateway/link.ts")).freshLink(),
  /** Where the gateway of this home listens; undefined when none runs. */
  gatewayAddress: async (folder: string) => (await import("./gateway/address.ts")).gatewayAddress(folder),
  /** Management of proxied sessions: by the gateway that runs, or on the store and the files themselves. */
  proxied: lazily(() => import("./gateway/operations.ts")),
  launchSteps,
  /** Everlong as an MCP server, until its client is gone. */
  serveMcp: async (serving: McpServing) => (await import("./mcp/serve.ts")).serveMcp(serving),
  /** A text in the user's own editor; `save` gets what was left in it. */
  edit: async <T>(text: string, save: (edited: string) => ResultPromise<T>) =>
    (await import("./gateway/edit.ts")).editText(text, save),
  /** What a face at a terminal must know before a session is open. */
  faceStart: async (options: Pick<OpenOptions, "flags" | "trustFolder">) =>
    (await import("./face.ts")).faceStart(options),
  /** Names of the themes that users wrote. */
  ownThemes: async () => (await import("./face.ts")).ownThemes(),
  /** What this folder would load if it were trusted, when it is not. */
  trustQuestion: async () => (await import("./trust-access.ts")).trustQuestion(),
  /** Names of commands and skills that users added. */
  customCommandNames: async (options: Pick<OpenOptions, "flags" | "trustFolder" | "slashNames">) =>
    (await import("./agent/custom-command.ts")).customCommandNames(options),
  /** The format of output that flags, environment or files name. */
  async outputFormat(flags: OpenOptions["flags"]): Promise<unknown> {
    if (flags["outputFormat"] !== undefined) return flags["outputFormat"];
    const format = await inWorkspace(async (workspace) => ok(workspace.settings.values.outputFormat));
    return format.ok ? format.value : undefined;
  },
};

async function inWorkspace<T>(work: (workspace: Workspace) => ResultPromise<T>): ResultPromise<T> {
  const { openWorkspace } = await import("./workspace.ts");
  const workspace = await openWorkspace();
  return workspace.ok ? work(workspace.value) : workspace;
}
