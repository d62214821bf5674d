// store_memory, vote_memory and context_board for MCP clients: the same write path and permissions, with nobody to ask.

import { tmpdir } from "node:os";
import * as z from "zod";
import { systemClock } from "../../base/clock.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { gitContext } from "../../host/git.ts";
import { type ServeContext, type ServedTool, served } from "../../mcp/serve/tool.ts";
import type { BoardToolParts } from "../../memory/board/tool.ts";
import { strategyKind } from "../../memory/record/choose.ts";
import type { Place } from "../../memory/record/contract.ts";
import { newMemoryId } from "../../memory/record/id.ts";
import { storeRecord } from "../../memory/record/store.ts";
import { storeDefinition, storeInput, voteDefinition, voteInput } from "../../memory/record/tool/definition.ts";
import { storeText, voteText } from "../../memory/record/tool/tools.ts";
import { voteOn } from "../../memory/record/vote.ts";
import type { AskLeave, WriteParts } from "../../memory/record/write-contract.ts";
import { locationApprovals } from "../../permission/approvals.ts";
import { decide } from "../../permission/decide.ts";
import { refuseUnasked } from "../../permission/explain.ts";
import { inspect } from "../../permission/inspect.ts";
import { makePolicy } from "../../permission/policy.ts";
import { embeddedStore } from "../../store/embedded-store.ts";
import type { ToolOutcome } from "../../tool/contract.ts";
import { boardPlace, isBoardOn } from "../board/board.ts";
import type { OpenHomeServices } from "../gateway/home-services.ts";
import { LOCAL_USER, placeIn, strategyFor, strategySettings, treeOf } from "../memory/strategy.ts";
import { isToolDenied, rules } from "../session/approvals.ts";
import { openWorkspace, redactorOf, type Workspace } from "../workspace.ts";

export function memoryServed(workspace: Workspace, open: OpenHomeServices): ServedTool[] {
  const kind = strategyKind(strategySettings(workspace));
  const votes = kind === "injected" ? workspace.settings.values["memory.injectedVote"] : kind !== "jsonl";
  const stores = new WeakMap<object, number>();
  const store = served({
    name: "store_memory",
    description: storeDefinition(true).description,
    input: storeInput(kind !== "jsonl"),
    readOnly: false,
    run: (input, context) =>
      withWriteServices(workspace, open, context, async ({ parts, place, client, ask }) => {
        const request = {
          place,
          source: { client },
          author: { kind: "agent" as const, id: client, name: client },
          ask,
        };
        // What the client's model saw is not known here.
        const origins = () => [{ kind: "assistant" as const }];
        const { connection, signal } = context;
        const storesSoFar = () => stores.get(connection) ?? 0;
        const stored = await storeRecord({ ...parts, storesSoFar }, { ...request, input, origins }, signal);
        if (stored.type === "stored" || stored.type === "pending_review") stores.set(connection, storesSoFar() + 1);
        return storeText(stored);
      }),
  });
  const vote = served({
    name: "vote_memory",
    description: voteDefinition().description,
    input: voteInput,
    readOnly: false,
    run: (input, context) =>
      withWriteServices(workspace, open, context, async ({ parts, place, client, ask }) => {
        const actor = { key: `agent:${place.user}:${client}`, kind: "agent" as const };
        return voteText(await voteOn(parts, { input, place, source: { client }, actor, ask }, context.signal));
      }),
  });
  return votes ? [store, vote] : [store];
}

type WriteServices = { parts: WriteParts; place: Place; client: string; ask: AskLeave };

/** Settings, trust and rules are those of the client's folder; without one, only what belongs to the user is reached. */
async function withWriteServices(
  own: Workspace,
  open: OpenHomeServices,
  { folder, client, signal }: ServeContext,
  work: (services: WriteServices) => Promise<ToolOutcome>,
): Promise<Result<string, string>> {
  const stood = await workspaceOf(own, folder);
  if (!stood.ok) return stood;
  const workspace = stood.value;
  const cwd = folder ?? workspace.context.cwd;
  const place = folder === undefined ? { user: LOCAL_USER } : placeIn(workspace, folder);
  const tree = folder === undefined ? undefined : treeOf(workspace, folder);
  const { values } = workspace.settings;
  const strategy = await strategyFor({
    workspace,
    place,
    tree,
    async open() {
      const services = await open();
      return services.ok ? ok(services.value.db) : services;
    },
  });
  const parts: WriteParts = {
    client: () => strategy,
    redactor: redactorOf(workspace),
    newId: () => newMemoryId(),
    settings: () => ({ userScope: values["memory.userScope"], maxStores: values["memory.maxStoresPerSession"] }),
    ...(tree ? { tree } : {}),
    clock: systemClock,
  };
  const reply = await work({ parts, place, client: workspace.redact(client), ask: leaveIn(workspace, cwd) });
  if (strategy.type === "ready") await strategy.strategy.shutdown(signal);
  return answerOf(reply);
}

/** The settings, trust and rules of the client's folder. */
export async function workspaceOf(own: Workspace, folder: string | undefined): Promise<Result<Workspace, string>> {
  if (folder === undefined || folder === own.context.cwd) return ok(own);
  const stood = await openWorkspace({ cwd: folder });
  return stood.ok ? stood : fail(`${stood.error.code}: ${stood.error.what}`);
}

export const answerOf = (outcome: ToolOutcome): Result<string, string> =>
  outcome.type === "success" ? ok(outcome.text) : fail(`${outcome.code}: ${outcome.message}`);

/** The memory permission of the folder, with nobody there to answer. */
function leaveIn(workspace: Workspace, cwd: string): AskLeave {
  return async (request) => {
    const { leaveOf } = await import("../memory/leave.ts");
    const { settings, paths, root, userHome, trust } = workspace;
    const { permissions, values } = settings;
    const approved = await locationApprovals(paths.home, root);
    const policy = makePolicy({
      deny: rules(permissions.deny),
      ask: rules(permissions.ask),
      allow: rules(permissions.allow),
      location: approved.ok ? approved.value : [],
      allowAll: values["permissions.allowAll"],
      trusted: trust.trusted,
      root,
      cwd,
      sessionDir: paths.sessions,
      everlongHome: paths.home,
      userHome,
      tempDir: tmpdir(),
    });
    const decision = decide(await inspect([request], { cwd, userHome }), policy);
    if (decision.type === "allow") return { type: "approved" };
    const { code, reason, covered } = decision.type === "deny" ? decision : refuseUnasked(decision, policy);
    return leaveOf({ type: "deny", code, message: reason, ...(covered ? { covered } : {}) });
  };
}

const looking = z.strictObject({
  command: z.enum(["get_board", "get"]).describe("`get_board`: the table. `get`: one item's whole content."),
  src: z.enum(["agent", "user"]).optional().describe("Of `get`."),
  name: z.string().max(200).optional().describe("Of `get`."),
});

/** Where a board is, and what opens it; or why nobody may look there. */
type ShownBoard = Omit<BoardToolParts, "now"> & { folder: string };
type FindBoard = (context: ServeContext) => Promise<Result<ShownBoard, string>>;

/** Only to look: nothing is added or pruned from outside. */
export const boardLooked = (find: FindBoard): ServedTool =>
  served({
    name: "context_board",
    description:
      "The context board of this repository and branch: short items that sessions left for later ones. `get_board` lists them, `get` (`src`, `name`) gives the whole content of one.",
    input: looking,
    readOnly: true,
    async run(input, context) {
      const board = await find(context);
      if (!board.ok) return board;
      const { folder, ...parts } = board.value;
      const { contextBoardTool } = await import("../../memory/board/tool.ts");
      const tool = contextBoardTool({ ...parts, now: () => systemClock.now() });
      return answerOf(await tool.run(input, outside(folder, context.signal)));
    },
  });

/** A rule that denies it takes it away. */
export function boardServed(workspace: Workspace, open: OpenHomeServices): ServedTool[] {
  if (isToolDenied(workspace, "context_board")) return [];
  return [
    boardLooked(async ({ folder }) => {
      if (folder === undefined) return fail("no_repository: the client named no root, so there is no board to show.");
      const stood = await workspaceOf(workspace, folder);
      if (!stood.ok) return stood;
      // Listed by the settings of where this was started; the client's folder may have others.
      if (!isBoardOn(stood.value) || isToolDenied(stood.value, "context_board"))
        return fail("board_off: the settings of this folder switch the context board off, or a rule denies it.");
      return ok({
        ...{ folder, place: boardPlace(stood.value, gitContext(folder)) },
        async store() {
          const services = await open();
          return services.ok ? ok(embeddedStore(services.value.db)) : services;
        },
        ...{ redactor: redactorOf(stood.value), redact: stood.value.redact },
      });
    }),
  ];
}

/** A call from outside of every session. */
const outside = (cwd: string, signal: AbortSignal) => ({
  sessionId: "",
  toolCallId: "",
  cwd,
  root: cwd,
  sessionDir: "",
  mode: "interactive" as const,
  signal,
  partial: () => undefined,
  progress: () => undefined,
  takesImages: false,
  allowedPath: () => false,
});
