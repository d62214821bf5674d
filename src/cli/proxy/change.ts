// `everlong proxy todo|pin|summary|spec|delete`: changing.
import { readFileSync } from "node:fs";
import { errorText, type Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { editText } from "../../runtime/gateway/edit.ts";
import { type ProxyOperations, withOperations } from "../../runtime/gateway/operations.ts";
import { askTerminal } from "../command/ask-terminal.ts";
import { visible } from "../line/screen.ts";
import { readStdin } from "../stdin.ts";
import { type Chosen, findSession, usage } from "./find-session.ts";
import { inSession, type Printed, tell } from "./look.ts";

type TextOptions = Chosen & { file?: string; edit?: boolean; json?: boolean };
type TextName = Parameters<ProxyOperations["text"]>[1];

/** Prints the text; with a file, text on stdin or an editor writes it. */
export function textCommand(name: TextName, id: string | undefined, options: TextOptions): Printed {
  return withOperations(async (operations): Printed => {
    const found = await findSession(operations, id, options);
    if (!found.ok) return found;
    const given = options.edit ? ok(undefined) : await givenText(options.file);
    if (!given.ok) return given;
    const done = await apply(operations, found.value, name, given.value, options.edit ?? false);
    if (!done.ok) return done;
    const { text, wrote } = done.value;
    if (options.json) return ok({ json: { text } });
    return ok(wrote ? `The ${name} text of ${found.value} is set.` : visible(text));
  });
}

async function apply(
  operations: ProxyOperations,
  id: string,
  name: TextName,
  given: string | undefined,
  edit: boolean,
): Promise<Result<{ text: string; wrote: boolean }, Failure>> {
  const now = await operations.text(id, name);
  if (!now.ok) return now;
  const set = async (text: string, ifMatch: string) => {
    const done = await operations.setText(id, name, text, ifMatch);
    return done.ok ? ok({ text: done.value.text, wrote: true }) : done;
  };
  const { text, version } = now.value;
  // Who edits must not overwrite what came meanwhile; who gives a file means it.
  if (edit)
    return editText(text, async (edited) => (edited === text ? ok({ text, wrote: false }) : set(edited, version)));
  return given === undefined ? ok({ text, wrote: false }) : set(given, "*");
}

/** A program that starts us often leaves its end of the pipe open and says nothing. */
const STDIN_WAIT_MS = 500;

async function givenText(file: string | undefined): Promise<Result<string | undefined, Failure>> {
  if (file !== undefined && file !== "-") {
    try {
      return ok(readFileSync(file, "utf8"));
    } catch (error) {
      return fail(usage(`${file} cannot be read: ${errorText(error)}.`, "Give a text file, or - for stdin."));
    }
  }
  if (file === undefined && (process.stdin.isTTY || !(await hasInput()))) return ok(undefined);
  const text = await readStdin(process.stdin);
  // Nothing at all on a stdin that nobody asked for is no text to write.
  return text.ok && text.value === "" && file === undefined ? ok(undefined) : text;
}

function hasInput(): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      process.stdin.destroy();
      resolve(false);
    }, STDIN_WAIT_MS);
    process.stdin.once("readable", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

const ACTIONS = {
  on: { mode: "on" },
  off: { mode: "off" },
  approve: { approved: true },
  revoke: { approved: false },
} as const;

export function specCommand(
  id: string | undefined,
  action: string | undefined,
  options: Chosen & { json?: boolean },
): Printed {
  // With --last the only word is what to do.
  const [session, verb] = options.last && action === undefined ? [undefined, id] : [id, action];
  if (verb !== undefined && !Object.hasOwn(ACTIONS, verb)) {
    const near = `It is one of ${Object.keys(ACTIONS).join(", ")}.`;
    return Promise.resolve(fail(usage(`"${verb}" is nothing that can be done to a spec.`, near)));
  }
  const change = verb === undefined ? undefined : ACTIONS[verb as keyof typeof ACTIONS];
  return tell(
    options,
    (o) => inSession(o, session, options, (one) => (change ? o.setSpec(one, change, "cli") : o.spec(one))),
    ({ mode, approved, time, way }) => {
      const by = time === undefined ? "" : ` (${way}, ${time})`;
      if (mode === "off") return `Spec mode is off${by}.`;
      return approved
        ? `Spec mode is on, and the spec is approved${by}.`
        : `Spec mode is on: waiting for approval${by}.`;
    },
  );
}

export function deleteCommand(
  id: string | undefined,
  options: Chosen & { all?: boolean; yes?: boolean; json?: boolean },
): Printed {
  return withOperations(async (operations): Printed => {
    const found = options.all ? ok("") : await findSession(operations, id, options);
    if (!found.ok) return found;
    const what = options.all ? "every proxied session" : `the proxied session ${found.value}`;
    const sure = options.yes || (await confirmed(`Erase ${what}, with all that was stored of it?`));
    if (sure === undefined) return fail(usage(`This would erase ${what} for good.`, "Add --yes to do it."));
    if (!sure) return ok("Nothing was erased.");
    const gone = await (options.all ? operations.deleteAllSessions() : operations.deleteSession(found.value));
    if (!gone.ok) return gone;
    return ok(options.json ? { json: gone.value } : `Erased: ${options.all ? gone.value.deleted : found.value}.`);
  });
}

/** Undefined: there is nobody to ask. */
async function confirmed(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return /^y(es)?$/i.test((await askTerminal(`${question} [y/N] `))?.trim() ?? "");
}
