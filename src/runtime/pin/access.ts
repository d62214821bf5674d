// The user's own hand on pins: looking, adding, ending; an agent's shell may change none.
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { activePins, addPin, endPin, findPins, MAX_PIN_CHARS, type Pin, type PinOwner } from "../../memory/pin/pin.ts";
import { secretIn } from "../../memory/promote/guard.ts";
import { itemById } from "../../memory/recall/list.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { ResultPromise } from "../client/open.ts";
import type { PinAccess } from "../client/pin.ts";
import { EVERYWHERE } from "../recall/scope.ts";
import { healing, openCaughtUp } from "../store.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { redactorOf, type Workspace } from "../workspace.ts";
import { pinOwner, pinOwners } from "./owner.ts";

/** For one command. */
export function withPins<T>(
  workspace: Workspace,
  work: (access: PinAccess) => ResultPromise<T>,
  session?: string,
): ResultPromise<T> {
  return healing(workspace.paths, async () => {
    if (!workspace.settings.values["memory.enabled"]) return fail(memoryOff);
    const db = await openCaughtUp(workspace.paths, workspace.indexing);
    if (!db.ok) return db;
    try {
      return await work(pinAccess(workspace, db.value, session));
    } finally {
      db.value.close();
    }
  });
}

function pinAccess(workspace: Workspace, db: Database, session: string | undefined): PinAccess {
  const shell = refuseInToolShell(workspace.env, "pin");
  return {
    list: async () => ok(activePins(db, pinOwners(workspace, session))),
    async add(textOrId, scope) {
      if (shell) return fail(shell);
      const owner = ownerOf(workspace, scope, session);
      if (!owner.ok) return owner;
      const item = itemById(db, EVERYWHERE, textOrId.trim());
      const text = (item?.text ?? textOrId).trim();
      const problem = problemOf(workspace, text);
      if (problem) return fail(problem);
      const { session: from, turn } = item?.source ?? {};
      const added = await write(db, () =>
        addPin(db, {
          text,
          origin: "hand",
          ...(from === undefined ? {} : { session: from }),
          ...(turn === undefined ? {} : { turn }),
          owner: owner.value,
          now: new Date().toISOString(),
        }),
      );
      if (!added.ok) return added;
      if (!added.value) throw new Error("a pin by hand has no source that could be there before");
      return ok(added.value);
    },
    async end(id) {
      if (shell) return fail(shell);
      const [pin, another] = id === "" ? [] : findPins(db, id).filter(({ active }) => active);
      if (!pin) return fail(refusal("pin_not_found", `No pin has the id ${id}.`, "List pins: everlong recall --pins."));
      if (another) return fail(refusal("ambiguous", `Several pins begin with ${id}.`, "Give more of the id."));
      const ended = await write(db, () => endPin(db, pin.id));
      return ended.ok ? ok<Pin>({ ...pin, active: false }) : ended;
    },
  };
}

function ownerOf(
  workspace: Workspace,
  scope: string | undefined,
  session: string | undefined,
): Result<PinOwner, Failure> {
  switch (scope ?? (session === undefined ? "repository" : "session")) {
    case "session":
      return session === undefined
        ? fail(refusal("usage", "No session is open here.", "Use --scope repository or user, or /pin in a session.", 2))
        : ok(pinOwner(workspace, "session", session));
    case "repository":
    case "workspace":
      return ok(pinOwner(workspace, "repository"));
    case "user":
      return ok(pinOwner(workspace, "user"));
    default:
      return fail(refusal("usage", `A pin cannot have the scope "${scope}".`, "Use session, repository or user.", 2));
  }
}

function problemOf(workspace: Workspace, text: string): Failure | undefined {
  if (text === "") return refusal("usage", "Nothing to pin.", "Give a text, or the id of a search result.", 2);
  if (text.length > MAX_PIN_CHARS)
    return refusal("too_long", `A pin has at most ${MAX_PIN_CHARS} characters.`, "Pin a shorter text.", 2);
  const rule = secretIn(redactorOf(workspace), text);
  return rule === undefined ? undefined : refusal("secret", `The text contains a secret (${rule}).`, "Remove it.");
}

const memoryOff: Failure = refusal(
  "memory_off",
  "Memory is off, and pins are part of it.",
  "Switch it on: everlong settings set memory.enabled true.",
);
