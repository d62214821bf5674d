// `everlong proxy todo|pin|summary|spec|delete`: changing.
import { readFileSync } from "node:fs";
import { errorText, type Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { home, type ProxyOperations } from "../../runtime/client.ts";
import { output, type Person } from "../contract.ts";
import { findSession, type SessionTarget, usage } from "./find-session.ts";
import { inSession, type Printed, tell } from "./look.ts";

type TextOptions = SessionTarget & { file?: string; edit?: boolean };
type TextName = Parameters<ProxyOperations["text"]>[1];

/** Prints the text; with a file, text on stdin or an editor writes it. */
export function textCommand(name: TextName, id: string | undefined, options: TextOptions, person: Person): Printed {
  return home.proxied.withOperations(async (operations): Printed => {
    const session = await findSession(operations, id, options);
    if (!session.ok) return session;
    const newText = options.edit ? ok(undefined) : await givenText(options.file, person);
    if (!newText.ok) return newText;
    const outcome = await apply(operations, session.value, name, newText.value, options.edit ? person : undefined);
    if (!outcome.ok) return outcome;
    const { text, wrote } = outcome.value;
    return output(wrote ? `The ${name} text of ${session.value} is set.` : visible(text), { text });
  });
}

async function apply(
  operations: ProxyOperations,
  id: string,
  name: TextName,
  newText: string | undefined,
  editor: Person | undefined,
): Promise<Result<{ text: string; wrote: boolean }, Failure>> {
  const now = await operations.text(id, name);
  if (!now.ok) return now;
  const set = async (text: string, ifMatch: string) => {
    const outcome = await operations.setText(id, name, text, ifMatch);
    return outcome.ok ? ok({ text: outcome.value.text, wrote: true }) : outcome;
  };
  const { text, version } = now.value;
  // Who edits must not overwrite what came meanwhile; who gives a file means it.
  if (editor?.edit)
    return editor.edit(text, async (edited) => (edited === text ? ok({ text, wrote: false }) : set(edited, version)));
  return newText === undefined ? ok({ text, wrote: false }) : set(newText, "*");
}

/** From a file, or what was piped in. */
async function givenText(file: string | undefined, { input }: Person): Promise<Result<string | undefined, Failure>> {
  if (file === undefined || file === "-") return (await input?.(file === "-" ? "wait" : "if there")) ?? ok(undefined);
  try {
    return ok(readFileSync(file, "utf8"));
  } catch (error) {
    return fail(usage(`Cannot read ${file}: ${errorText(error)}.`, "Give a text file, or - for stdin."));
  }
}

const ACTIONS = {
  on: { mode: "on" },
  off: { mode: "off" },
  approve: { approved: true },
  revoke: { approved: false },
} as const;

export function specCommand(id: string | undefined, action: string | undefined, options: SessionTarget): Printed {
  // With --last the only word is what to do.
  const [session, verb] = options.last && action === undefined ? [undefined, id] : [id, action];
  if (verb !== undefined && !Object.hasOwn(ACTIONS, verb)) {
    const near = `Actions: ${Object.keys(ACTIONS).join(", ")}.`;
    return Promise.resolve(fail(usage(`"${verb}" is not a spec action.`, near)));
  }
  const change = verb === undefined ? undefined : ACTIONS[verb as keyof typeof ACTIONS];
  return tell(
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
  options: SessionTarget & { all?: boolean; yes?: boolean },
  person: Person,
): Printed {
  return home.proxied.withOperations(async (operations): Printed => {
    const session = options.all ? ok("") : await findSession(operations, id, options);
    if (!session.ok) return session;
    const what = options.all ? "every proxied session" : `the proxied session ${session.value}`;
    const sure = options.yes || (await person.confirm?.(`Erase ${what} and everything stored for it?`));
    if (sure === undefined) return fail(usage(`This would erase ${what} for good.`, "Add --yes to do it."));
    if (!sure) return output("Nothing was erased.");
    const gone = await (options.all ? operations.deleteAllSessions() : operations.deleteSession(session.value));
    if (!gone.ok) return gone;
    return output(`Erased: ${options.all ? gone.value.deleted : session.value}.`, gone.value);
  });
}
