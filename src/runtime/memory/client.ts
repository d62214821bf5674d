// `everlong memory` and `/memory`: one set of verbs, on a desk of their own or on that of the open session.

import { systemClock } from "../../base/clock.ts";
import { fail } from "../../base/result.ts";
import type { Client } from "../../memory/record/contract.ts";
import { newMemoryId } from "../../memory/record/id.ts";
import type { WriteParts } from "../../memory/record/write-contract.ts";
import type { CommandResult } from "../command-result.ts";
import { refuseInToolShell } from "../settings-command.ts";
import { healing, openStore } from "../store.ts";
import { openWorkspace, redactorOf, type Workspace } from "../workspace.ts";
import type { Hands } from "./change.ts";
import type { Desk } from "./desk.ts";
import { LOCAL_USER, placeIn, strategyFor, treeOf } from "./strategy.ts";

export type { Hands } from "./change.ts";
export type MemoryVerb =
  | "list"
  | "search"
  | "show"
  | "verify"
  | "add"
  | "edit"
  | "delete"
  | "vote"
  | "review"
  | "changes"
  | "undo"
  | "export";
/** Flags are checked where they are read. */
export type MemoryCall = { verb: MemoryVerb; args: string[]; flags: object };

/** In an open session. */
export type MemoryClient = {
  /** Switch, strategy, counts, what waits, the last failure. */
  status(): Promise<CommandResult>;
  switch(on: boolean): Promise<CommandResult>;
  /** Exactly what the model sees, then the rest; with words, only what holds them. */
  show(query: string): Promise<CommandResult>;
  command(call: MemoryCall): Promise<CommandResult>;
};

const LOOKING: readonly MemoryVerb[] = ["list", "search", "show", "verify", "changes", "export"];

export async function memoryCommand(call: MemoryCall, hands: Hands): Promise<CommandResult> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  return healing(workspace.value.paths, () => withDesk(workspace.value, (desk) => runVerb(desk, call, hands)));
}

/** The store is opened when the strategy first needs it, and closed whatever happens. */
async function withDesk(workspace: Workspace, work: (desk: Desk) => Promise<CommandResult>): Promise<CommandResult> {
  let opened: ReturnType<typeof openStore> | undefined;
  let client: Promise<Client> | undefined;
  const open = () => (opened ??= openStore(workspace.paths, { recall: workspace.indexing.recall }));
  const { cwd } = workspace.context;
  const { values } = workspace.settings;
  const place = placeIn(workspace, cwd);
  const tree = treeOf(workspace, cwd);
  const parts: WriteParts = {
    client: () => (client ??= strategyFor({ workspace, place, open, tree, enabled: true })),
    redactor: redactorOf(workspace),
    newId: () => newMemoryId(),
    settings: () => ({ userScope: values["memory.userScope"], maxStores: values["memory.maxStoresPerSession"] }),
    tree,
    clock: systemClock,
  };
  const desk = deskOn(workspace, { parts, place, cwd, source: { client: "cli" } });
  try {
    return await work(desk);
  } finally {
    const made = await client;
    if (made?.type === "ready") await made.strategy.shutdown(desk.signal);
    const db = await opened;
    if (db?.ok) db.value.close();
  }
}

/** The user acts: nobody is asked, and what is stored is the user's. */
export function deskOn(workspace: Workspace, own: Pick<Desk, "parts" | "place" | "cwd" | "source">): Desk {
  return {
    ...own,
    off: !workspace.settings.values["memory.enabled"],
    user: { kind: "user", id: LOCAL_USER, name: LOCAL_USER },
    redact: workspace.redact,
    env: workspace.env,
    now: () => Date.now(),
    signal: new AbortController().signal,
  };
}

/** Flags come from the command line's own parser. */
export async function runVerb(desk: Desk, call: MemoryCall, hands: Hands): Promise<CommandResult> {
  const { verb, args } = call;
  // What the user's hand does counts as the user's: an agent's shell has no part in it.
  const refused = LOOKING.includes(verb) ? undefined : refuseInToolShell(desk.env, "Memories are");
  if (refused) return fail(refused);
  const { withRepositoryKey } = await import("./desk.ts");
  const read = withRepositoryKey(desk, call.flags);
  if (!read.ok) return read;
  const flags = read.value;
  const [first = "", second = ""] = args;
  const looking = () => import("./command.ts");
  const changing = () => import("./change.ts");
  const deciding = () => import("./review.ts");
  switch (verb) {
    case "list":
      return (await looking()).listMemories(desk, flags);
    case "search":
      return (await looking()).searchMemories(desk, args.join(" "), flags);
    case "show":
      return (await looking()).showMemory(desk, first, flags);
    case "verify":
      return (await looking()).verifyMemories(desk, args, flags);
    case "changes":
      return (await looking()).memoryChanges(desk, flags);
    case "export":
      return (await looking()).exportMemories(desk, flags);
    case "add":
      return (await changing()).addMemory(desk, args.join(" "), flags);
    case "edit":
      return (await changing()).editMemory(desk, first, flags, hands);
    case "delete":
      return (await changing()).deleteMemories(desk, args, flags, hands);
    case "vote":
      return (await changing()).voteMemory(desk, first, second, flags);
    case "review":
      return (await deciding()).reviewMemories(desk, flags, hands);
    case "undo":
      return (await deciding()).undoChange(desk, first, flags);
  }
}
