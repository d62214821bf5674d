// What was entered: a prompt, a command of ours, or one that the user added.
import type { Failure } from "../../base/failure.ts";
import { parseTyped, runSlash, type TypedText } from "../../command/slash.ts";
import type { Client } from "../../runtime/client.ts";
import type { App } from "../loop/app.ts";
import { panelFor } from "../panel/registry.ts";
import { screenPerson, screenPrompts } from "./ask.ts";
import { copyText } from "./clipboard.ts";
import { openPanel } from "./panel.ts";
import { sendMessage } from "./shell.ts";

export async function submitText(app: App, text: string): Promise<void> {
  const client = await app.client();
  const typed = parseTyped(text);
  if (typed.type === "command") return runCommand(app, client, typed);
  try {
    if (typed.type === "prompt") await sendMessage(client, typed.text);
    else await sendOwn(app, client, typed);
  } finally {
    app.dispatch({ type: "sent" });
  }
}

/** A command or skill of the user's own, or a mistyped name: then nothing is sent. */
async function sendOwn(app: App, client: Client, typed: Extract<TypedText, { type: "unknown" }>): Promise<void> {
  const custom = await client.extensions.prompt(typed.name, typed.args);
  if (custom?.ok) return sendMessage(client, custom.value);
  app.say(failureText(custom?.error ?? typed.failure));
}

const failureText = ({ what, next }: Failure): string => [what, next].filter(Boolean).join(" ");

async function runCommand(app: App, client: Client, typed: Extract<TypedText, { type: "command" }>): Promise<void> {
  const { name, slash } = typed.command;
  if (slash.ofTerminal === "exit") return app.end(0);
  if (slash.ofTerminal === "new session") return app.open({ type: "new" });
  if (name === "resume" && typed.args !== "") return app.open({ type: "resume", id: typed.args });
  if (typed.args === "" && panelFor(name)) return openPanel(app, name, typed.args);
  if (name === "copy") return copyAnswer(app, client, typed);
  const outcome = await runSlash(typed, client, screenPerson(screenPrompts(app.dispatch, app.say), app.say));
  // What it said, or why it failed, is an entry of the transcript.
  if (outcome.ok && name === "theme") app.restyle(typed.args);
  if (!outcome.ok) {
    if (outcome.error.next) app.say(outcome.error.next);
  } else if (outcome.value.send !== undefined) await sendMessage(client, outcome.value.send);
}

/** The answer stands on the screen already: it goes to the clipboard, and nothing is written about it in the log. */
async function copyAnswer(app: App, client: Client, typed: Extract<TypedText, { type: "command" }>): Promise<void> {
  const person = screenPerson(screenPrompts(app.dispatch, app.say), app.say);
  const answer = await typed.command.slash.run?.("", client, { person, on: client, commands: [] });
  if (answer) app.say(answer.ok ? copyText(app, answer.value.text) : failureText(answer.error));
}
