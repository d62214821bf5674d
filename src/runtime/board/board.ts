// The context board of an open session: which one it is, what stands on it, and the tool for agents that hold it.
import { existsSync } from "node:fs";
import { within } from "../../base/abort.ts";
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { ok } from "../../base/result.ts";
import { repositoryKey } from "../../host/git.ts";
import type { BoardItem, BoardPlace } from "../../memory/board/item.ts";
import type { BoardToolParts } from "../../memory/board/tool.ts";
import type { SessionContext } from "../../schema/session.ts";
import type { Conversation } from "../../session/session.ts";
import { embeddedStore, runUnit } from "../../store/embedded-store.ts";
import type { Tool } from "../../tool/contract.ts";
import type { SessionIndex } from "../session/index.ts";
import { redactorOf, type Workspace } from "../workspace.ts";
import { isDetached } from "./detached.ts";

/** The board and its agents; memory's own switch is above them. */
export const isBoardOn = ({ settings: { values } }: Pick<Workspace, "settings">): boolean =>
  values["memory.enabled"] && values["features.subconscious"];

/** Without a branch, or without git at all, a folder has one board. */
export function boardPlace({ redact }: Pick<Workspace, "redact">, context: SessionContext): BoardPlace {
  return { repository: redact(repositoryKey(context.cwd)), branch: redact(context.branch ?? "default") };
}

/** How long the first turn waits for the counters. */
const COUNT_MS = 300;

/** The board of an open session: where the session runs, and its store. */
export type BoardServices = { workspace: Workspace; main: Conversation; index: Pick<SessionIndex, "store" | "reader"> };

/** On create and on resume. Only a session that a person began is one more that has seen the items. */
export async function configureBoard(services: BoardServices, { created }: { created: boolean }): Promise<void> {
  const { workspace, main } = services;
  if (!isBoardOn(workspace)) return;
  const place = boardPlace(workspace, main.state.context);
  const tell = ({ code, what }: Failure) => main.publish("soft_failure", { part: "board", code, message: what });
  let items = 0;
  // A home without a store has no board; it is not made for this.
  if (existsSync(workspace.paths.store)) {
    const { countSession } = await import("../../memory/board/store.ts");
    const { hasOldChanges } = await import("../../memory/board/change.ts");
    const { countItems } = await import("../../memory/board/row.ts");
    const store = await services.index.store();
    if (store.ok) items = runUnit(store.value, countItems(place)).all;
    else tell(store.error);
    const now = systemClock.now();
    if (store.ok && created && !isDetached(workspace) && (items > 0 || runUnit(store.value, hasOldChanges(now)))) {
      // A store that another process holds is waited for beside the first turn, not before it.
      const counting = countSession(embeddedStore(store.value), place, now).then(
        (counted) => counted.ok || tell(counted.error),
      );
      await within(counting, COUNT_MS);
    }
  }
  main.publish("board.configured", { ...place, items, inherited: 0 });
}

/** What stands on it now; nothing while it is off or cannot be read. */
export async function boardItems({ workspace, main, index }: BoardServices): Promise<BoardItem[]> {
  if (!isBoardOn(workspace) || !existsSync(workspace.paths.store)) return [];
  const { listItems } = await import("../../memory/board/row.ts");
  const store = await index.store();
  return store.ok ? runUnit(store.value, listItems(boardPlace(workspace, main.state.context))) : [];
}

/** For an agent that holds it: as a sidekick does, only to read, unless a writer is given. */
export async function boardTool(
  { workspace, main, index }: BoardServices,
  more: Pick<BoardToolParts, "writer" | "refuse"> & { onDone?: BoardToolParts["onDone"]; run?: string } = {},
): Promise<Tool> {
  const { contextBoardTool } = await import("../../memory/board/tool.ts");
  const { tellingRedactor } = await import("../memory/events.ts");
  const { run, onDone, ...parts } = more;
  return contextBoardTool({
    ...parts,
    place: boardPlace(workspace, main.state.context),
    async store() {
      const opened = await index.store();
      return opened.ok ? ok(embeddedStore(opened.value)) : opened;
    },
    redactor: tellingRedactor(redactorOf(workspace), (finding) =>
      main.publish("secret.redacted", { ...finding, where: "board" }),
    ),
    redact: workspace.redact,
    now: () => systemClock.now(),
    onDone(command, outcome) {
      if (command === "add" || command === "prune")
        main.publish("board.changed", { command, outcome, ...(run === undefined ? {} : { run }) });
      onDone?.(command, outcome);
    },
  });
}
