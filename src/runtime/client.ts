// The one door for faces: opening a session, and what is done on this machine without one.
import type { Failure } from "../base/failure.ts";
import { ok, type Result } from "../base/result.ts";
import type { CareAccess } from "./client/care.ts";
import type { ConsentAccess } from "./client/decision.ts";
import type { GatewayAccess } from "./client/gateway.ts";
import type { ResultPromise } from "./client/open.ts";
import type { RecallAccess } from "./client/recall.ts";
import type { Opened, OpenOptions, SharedAccess } from "./client/session.ts";
import type { SessionsAccess } from "./client/sessions.ts";
import { lazily } from "./lazily.ts";
import type { McpServing } from "./mcp/serve.ts";
import type { Workspace } from "./workspace.ts";

export type {
  AbandonedAgent,
  AgentPrompt,
  Client,
  CommandResult,
  ConsolidationStatus,
  Opened,
  OpenOptions,
  PermissionAsk,
  PlanAnswer,
  PlanQuestion,
  Prompts,
  SessionChoice,
  SessionView,
  SharedAccess,
  TasksClient,
  UserQuestion,
} from "./client/session.ts";
export type { StoredSession } from "./client/sessions.ts";

/** What is done on this machine without an open session. */
export type Home = SharedAccess & {
  readonly sessions: SessionsAccess;
  readonly recall: RecallAccess;
  readonly consent: ConsentAccess;
  readonly care: CareAccess;
  readonly gateway: GatewayAccess;
  /** Everlong as an MCP server, until its client is gone. */
  serveMcp(serving: McpServing): ResultPromise<void>;
  /** A text in the user's own editor; `save` gets what was left in it. */
  edit<T>(text: string, save: (edited: string) => ResultPromise<T>): ResultPromise<T>;
  /** What this folder would load if it were trusted, when it is not. */
  trustQuestion(): Promise<string | undefined>;
  /** Names of commands and skills that users added. */
  customCommandNames(options: Pick<OpenOptions, "flags" | "trustFolder" | "slashNames">): Promise<string[]>;
  /** The format of output that flags, environment or files ask for. */
  outputFormat(flags: OpenOptions["flags"]): Promise<unknown>;
};

export async function openClient(options: OpenOptions): Promise<Result<Opened, Failure>> {
  const { openSession } = await import("./session/open-session.ts");
  return openSession(options);
}

export { reportCrash } from "./crash.ts";

/** Each part is loaded when it is first called: a start pays for none of them. */
export const home: Home = {
  async board(work) {
    const { withBoard } = await import("./board/access.ts");
    return inWorkspace((workspace) => withBoard(workspace, workspace.context, work));
  },
  async graph(work) {
    const { withGraph } = await import("./graph/graph.ts");
    return inWorkspace((workspace) => withGraph(workspace, work));
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
  sessions: lazily(async () => (await import("./session/stored-sessions.ts")).storedSessions),
  recall: {
    ask: async (text, ask) => (await import("./recall/stored-recall.ts")).recallStored(text, ask),
    search: async (text, options) => (await import("./recall/search-sessions.ts")).searchSessions(text, options),
    reindexEmbeddings: async () => (await import("./recall/reindex-embeddings.ts")).reindexEmbeddings(),
    evaluate: async (file, options) => (await import("./recall/eval-recall.ts")).evaluateRecall(file, options),
  },
  consent: lazily(async () => (await import("./consent-access.ts")).consentHere),
  care: {
    makeBackup: async (file, options) => (await import("./backup/backup.ts")).makeBackup(file, options),
    verifyBackup: async (file) => (await import("./backup/backup.ts")).verifyBackup(file),
    restoreBackup: async (file, options) => (await import("./backup/restore.ts")).restoreBackup(file, options),
    planWipe: async (scope) => (await import("./wipe/wipe.ts")).wipePlan(scope),
    wipe: async (plan) => (await import("./wipe/wipe.ts")).wipe(plan),
    diagnose: async (...all) => (await import("./doctor/doctor.ts")).diagnose(...all),
  },
  gateway: lazily(async () => (await import("./gateway/access.ts")).gatewayAccess),
  serveMcp: async (serving) => (await import("./mcp/serve.ts")).serveMcp(serving),
  edit: async (text, save) => (await import("./gateway/edit.ts")).editText(text, save),
  trustQuestion: async () => (await import("./trust-access.ts")).trustQuestion(),
  customCommandNames: async (options) => (await import("./agent/custom-command.ts")).customCommandNames(options),
  async outputFormat(flags) {
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
