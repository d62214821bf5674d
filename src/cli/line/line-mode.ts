// Line mode: a plain conversation in the terminal, until the full terminal face is there.

import { visible } from "../../base/text.ts";
import { goesOn } from "../../command/agent.ts";
import { askConsent } from "../../command/consent.ts";
import { counted } from "../../command/format.ts";
import { parseTyped, runSlash } from "../../command/slash.ts";
import { slashNames } from "../../command/table.ts";
import { trustFolder } from "../../command/trust.ts";
import { type Client, home, type OpenOptions, openClient } from "../../runtime/client.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { askTerminal } from "../ask-terminal.ts";
import { EXIT, printFailure } from "../exit.ts";
import { resumeHint } from "../format/metrics.ts";
import { noticeLine } from "../format/notice.ts";
import { linePerson, linePrompts } from "./ask.ts";
import { openScreen, type Screen } from "./screen.ts";

const EXIT_WINDOW_MS = 2000;
/** A second interrupt within this time also stops what runs in the background. */
const STOP_ALL_MS = 3000;

/** `text`: the first prompt, when the command line gave one. */
export async function runLineMode(open: Omit<OpenOptions, "prompts">, version: string, text = ""): Promise<number> {
  if (!open.trustFolder && (await askTrust()) === "exit") return EXIT.done;
  await askPendingConsent(open);
  let screen: Screen | undefined;
  const current = (): Screen => screen ?? unopened();
  const prompts = linePrompts(current);
  const opened = await openClient({ ...open, prompts, slashNames });
  if (!opened.ok) return printFailure(opened.error);
  let { client } = opened.value;

  let ended: (code: number) => void = () => undefined;
  const finished = new Promise<number>((resolve) => {
    ended = resolve;
  });
  let lastInterrupt = Number.NEGATIVE_INFINITY;
  let consolidation = "";
  let stop = () => {};
  const attach = (c: Client) => {
    stop();
    current().setPrompt(promptOf(c));
    stop = c.on((event) => {
      // Mode and allow-all are always visible.
      if (event.type === "session.mode_changed" || event.type === "permission.rules_changed")
        current().setPrompt(promptOf(c));
      if (event.type === "consolidation.gate" && event.data.model !== undefined)
        consolidation = `\nUpdating the board in the background with ${event.data.model}.`;
      showEvent(current(), event);
    });
  };

  const onLine = async (text: string): Promise<void> => {
    const typed = parseTyped(text);
    if (typed.type === "unknown") {
      const custom = await client.extensions.prompt(typed.name, typed.args);
      if (custom?.ok) return client.send(custom.value);
      const { what, next } = custom?.error ?? typed.failure;
      return current().print([what, next].join(" "));
    }
    if (typed.type === "prompt") {
      if (typed.text.trim() !== "") await client.send(typed.text);
      else current().prompt();
      return;
    }
    if (typed.command.name === "exit") return ended(EXIT.done);
    if (typed.command.name === "clear") {
      const next = await openClient({ ...open, session: { type: "new" }, prompts, slashNames });
      if (!next.ok) return current().print(next.error.what);
      await client.close({ type: "routine", reason: "clear" });
      const old = client.view().promptCount > 0 ? ` To resume the old one: everlong --resume ${client.sessionId}` : "";
      current().print(`New session.${old}`);
      client = next.value.client;
      attach(client);
      return;
    }
    const outcome = await runSlash(
      typed,
      client,
      linePerson(prompts, (text) => current().print(text)),
    );
    current().print(
      outcome.ok ? outcome.value.text : [outcome.error.what, outcome.error.next].filter(Boolean).join("\n"),
    );
    if (outcome.ok && outcome.value.send !== undefined) await client.send(outcome.value.send);
  };

  const printError = (error: unknown) =>
    current().print(`Error: ${error instanceof Error ? error.message : String(error)}`);
  screen = openScreen({
    line: (text) => void onLine(text).catch(printError),
    interrupt: (typed) => {
      const recently = performance.now() - lastInterrupt;
      lastInterrupt = performance.now();
      const others = client.tasks.running();
      const { busy } = client.view();
      const back = busy ? client.interrupt("user") : [];
      const lines = busy ? ["Interrupted."] : [];
      if (back.length > 0) lines.push(`Not sent: ${back.map((b) => JSON.stringify(b)).join(", ")}`);
      if (others > 0 && recently < STOP_ALL_MS)
        void client.tasks.cancelAll().then((count) => current().print(`Stopped ${counted(count, "agent")}.`));
      else if (others > 0 && typed === "") lines.push(stillRunning(others));
      else if (!busy && typed === "" && recently < EXIT_WINDOW_MS) return ended(EXIT.done);
      else if (!busy && typed === "") lines.push("Press Ctrl+C again to exit.");
      else if (!busy) lastInterrupt = Number.NEGATIVE_INFINITY; // it only cleared the line
      if (lines.length > 0) current().print(lines.join(" "));
      else current().prompt();
    },
    // Where nothing is waited for, the key only moves the cursor.
    background: () =>
      void client.tasks
        .promoteToBackground()
        .then(goesOn)
        .then((outcome) => outcome.ok && current().print(outcome.value.text), printError),
    end: () => ended(EXIT.done),
  });
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, () => ended(EXIT.interrupted));

  attach(client);
  screen.print(header(client, version, opened.value.notices));
  client.ready().catch(printError);
  if (text !== "") {
    screen.print(`> ${text}`);
    onLine(text).catch(printError);
  }
  const code = await finished;
  client.interrupt("exit");
  await client.close(code === EXIT.done ? { type: "routine" } : { type: "signal" });
  stop();
  screen.close();
  const hint = client.view().promptCount > 0 ? resumeHint(client.sessionId) : "";
  process.stdout.write(`\n${hint}${consolidation}\n`);
  return code;
}

/** Nothing of the folder's own is loaded before the answer; without trust everything else works. */
async function askTrust(): Promise<"go on" | "exit"> {
  const notice = await home.trustQuestion();
  if (!notice) return "go on";
  process.stdout.write(`${notice}\n  1. trust this folder\n  2. continue without\n  3. exit\n`);
  for (;;) {
    const answer = (await askTerminal("Your choice: "))?.trim();
    if (answer === "3" || answer === undefined) return "exit";
    if (answer === "2") return "go on";
    if (answer !== "1") continue;
    const outcome = await trustFolder();
    process.stdout.write(`${outcome.ok ? outcome.value.text : outcome.error.what}\n`);
    return "go on";
  }
}

/** Nothing is sent before the answer; without one everything else works. */
async function askPendingConsent(open: Pick<OpenOptions, "flags" | "trustFolder">): Promise<void> {
  const question = await home.consent.question(open);
  if (!question) return;
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const outcome = await askConsent(question, { print, ask: askTerminal }, open);
  if (outcome) print(outcome.ok ? outcome.value.text : outcome.error.what);
}

function unopened(): never {
  throw new Error("The terminal is not open yet.");
}

const stillRunning = (count: number): string =>
  count === 1
    ? "1 agent still runs in the background; Ctrl+C again stops it."
    : `${count} agents still run in the background; Ctrl+C again stops them.`;

function promptOf(client: Client): string {
  const { mode, allowAll } = client.view();
  return `${mode === "interactive" ? "" : `${mode} `}${allowAll ? "allow-all " : ""}> `;
}

function header(client: Client, version: string, notices: string[]): string {
  const view = client.view();
  const branch = view.context.branch ? ` on ${view.context.branch}` : "";
  const lines = [
    `everlong ${version}`,
    `model ${view.model} (${view.modelReason})`,
    `${view.context.cwd}${branch} · session ${view.sessionId}`,
    ...notices,
  ];
  if (view.model === "offline")
    lines.push("No model provider yet: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or use --base-url and --model.");
  return [...lines, "Type a message, or /help. Ctrl+C interrupts, Ctrl+D leaves."].join("\n");
}

function showEvent(screen: Screen, event: Envelope): void {
  const isMain = event.agentId === undefined;
  switch (event.type) {
    case "assistant.message_delta":
      return isMain ? screen.stream(event.data.deltaContent) : undefined;
    case "assistant.message":
    case "session.idle":
      return isMain ? screen.endStream() : undefined;
    case "session.todos_changed":
      return;
    default: {
      const line = noticeLine(event, (text) => text); // a person's own screen
      if (line !== undefined) screen.print(visible(line));
    }
  }
}
