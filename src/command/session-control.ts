// `everlong sessions send|stop|compact`: reach a session that another terminal has open.

import { notSent } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import { home } from "../runtime/client.ts";
import type { SessionControl } from "../schema/session-control.ts";
import { type Command, type CommandOutcome, describe } from "./contract.ts";

async function reach(id: string, control: SessionControl): Promise<CommandOutcome> {
  // It has its own limits, and whoever loses patience ends this process.
  const { signal } = new AbortController();
  return describe(await home.sessions.control(id, control, signal), ({ text, returned = [] }) =>
    [text, ...returned.map((message) => `Not sent any more: ${message}`)].join("\n"),
  );
}

/** A model would read `/model x` as a text: the commands of a session are its own terminal's, but for the one that has a way from here. */
async function sendText(id: string, text: string): Promise<CommandOutcome> {
  const [, name, rest = ""] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  if (name === undefined) return reach(id, { action: "message", text });
  if (name === "compact") return reach(id, { action: "compact", ...(rest === "" ? {} : { focus: rest }) });
  const next = "Type it in the session's own terminal. To send it as text, start with a space.";
  return fail(notSent("command_usage", `"/${name}" is a command, not a message.`, next));
}

export const sessionControls: readonly Command[] = [
  {
    name: "send",
    summary: "send a message to a session that is open elsewhere",
    arguments: "<id> <text...>",
    run: ({ args: [id = "", ...words] }) => sendText(id, words.join(" ")),
  },
  {
    name: "stop",
    summary: "stop the running turn, or one task, of a session that is open elsewhere",
    arguments: "<id> [task]",
    run: ({ args: [id = "", task] }) =>
      reach(id, task === undefined ? { action: "stop" } : { action: "stop-task", task }),
  },
  {
    name: "compact",
    summary: "compact a session that is open elsewhere",
    arguments: "<id> [focus...]",
    run: ({ args: [id = "", ...focus] }) =>
      reach(id, { action: "compact", ...(focus.length > 0 ? { focus: focus.join(" ") } : {}) }),
  },
];
