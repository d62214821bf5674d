// Plain mode: the conversation as lines one after another, for screen readers and terminals that can do no more.
import { describeFailure } from "../../base/failure.ts";
import { goesOn } from "../../command/agent.ts";
import { counted } from "../../command/format.ts";
import { parseTyped, runSlash } from "../../command/slash.ts";
import { slashNames } from "../../command/table.ts";
import { type Client, type FaceStart, openClient } from "../../runtime/client.ts";
import type { CompactionStage } from "../../schema/event/context.ts";
import { runShell, sendMessage, stopShell } from "../effect/shell.ts";
import { exitLines } from "../loop/exit-line.ts";
import type { TerminalRun } from "../loop/run.ts";
import { stageWords } from "../state/activity.ts";
import { autopilotNotice } from "../state/autopilot.ts";
import { noFacts, reduceFacts } from "../state/facts.ts";
import { readShellLine } from "../text/shell-line.ts";
import { plainLook } from "../theme/look.ts";
import { plainPerson, plainPrompts } from "./ask.ts";
import { askPendingConsent, askTrust } from "./begin.ts";
import { openLines, type PlainEvents, type PlainLines } from "./lines.ts";
import { plainPrinter } from "./print.ts";

const EXIT = { done: 0, interrupted: 130 } as const;
const EXIT_WINDOW_MS = 2000;
/** A second interrupt within this time also stops what runs in the background. */
const STOP_ALL_MS = 3000;
const STILL_WORKING_MS = 30_000;
/** A resumed session shows at most this many blocks. */
const MOST_BLOCKS = 200;

/** `by`: what asked for plain lines. */
export async function runPlain(face: FaceStart, { open, version, text }: TerminalRun, by: string): Promise<number> {
  const startedAt = Date.now();
  process.stdout.write(`Plain mode is on (${by}).\n`);
  if (!open.trustFolder && (await askTrust()) === "exit") return EXIT.done;
  await askPendingConsent(open);
  let screen: PlainLines | undefined;
  const current = (): PlainLines => screen ?? unopened();
  const prompts = plainPrompts(current);
  const opened = await openClient({ ...open, prompts, slashNames });
  if (!opened.ok) {
    process.stderr.write(`${describeFailure(opened.error)}\n`);
    return opened.error.exit;
  }
  let { client } = opened.value;

  let ended: (code: number) => void = () => undefined;
  const finished = new Promise<number>((resolve) => {
    ended = resolve;
  });
  let lastInterrupt = Number.NEGATIVE_INFINITY;
  let facts = noFacts;
  /** The last turn has ended, and no line came after it. */
  let isOver = true;
  /** Lines that are being carried out; the first is the start itself. */
  let running = 1;
  let stage: CompactionStage | undefined;
  const autopilot = autopilotNotice(face.continuationLimit);
  let stop = () => {};
  const show = (lines: readonly string[]): void => {
    if (lines.length > 0) current().print(lines.join("\n"));
  };
  const tellTurn = () => current().turn(running === 0 && (isOver || !client.view().busy));
  const attach = (c: Client) => {
    stop();
    isOver = true;
    current().setPrompt(promptOf(c));
    const printer = plainPrinter(plainLook({ reasoning: face.ui.reasoning, toolLines: face.ui.toolOutputLines }));
    show(printer.past(c.logged, MOST_BLOCKS));
    stop = c.on((event) => {
      // Mode and allow-all are always visible.
      if (event.type === "session.mode_changed" || event.type === "permission.rules_changed")
        current().setPrompt(promptOf(c));
      facts = reduceFacts(facts, event);
      if (event.agentId === undefined && event.type === "turn.start") isOver = false;
      if (event.agentId === undefined && event.type === "turn.end") isOver = c.view().queue.length === 0;
      show(printer.add(event));
      if (event.type === "session.compaction_progress" && facts.compacting === "blocking") {
        if (event.data.stage !== stage) show([`compaction: ${stageWords(event.data)}`]);
        stage = event.data.stage;
      }
      if (event.type === "session.compaction_complete") stage = undefined;
      const notice = autopilot(event);
      if (notice !== undefined) show([`notice: ${notice}`]);
      if (event.type === "permission.waiting" && event.data.count > 1)
        show([`permission: ${counted(event.data.count, "question")} wait, one after another.`]);
      tellTurn();
    });
  };

  const onLine = async (text: string): Promise<void> => {
    const shell = readShellLine(text);
    if (shell) return runShell(client, shell, () => undefined);
    const typed = parseTyped(text);
    if (typed.type === "unknown") {
      const custom = await client.extensions.prompt(typed.name, typed.args);
      if (custom?.ok) return sendMessage(client, custom.value);
      const { what, next } = custom?.error ?? typed.failure;
      return current().print([what, next].join(" "));
    }
    if (typed.type === "prompt") {
      if (typed.text.trim() !== "") await sendMessage(client, typed.text);
      return;
    }
    if (typed.command.slash.ofTerminal === "exit") return ended(EXIT.done);
    if (typed.command.slash.ofTerminal === "new session") {
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
      plainPerson(prompts, (text) => current().print(text)),
    );
    // What it said, or why it failed, is an entry of the transcript.
    if (!outcome.ok && outcome.error.next) current().print(outcome.error.next);
    if (outcome.ok && outcome.value.send !== undefined) await sendMessage(client, outcome.value.send);
  };

  const printError = (error: unknown) =>
    current().print(`Error: ${error instanceof Error ? error.message : String(error)}`);
  const events: PlainEvents = {
    line: (text) => {
      running++;
      isOver = false;
      tellTurn();
      void onLine(text)
        .catch(printError)
        .finally(() => {
          running--;
          tellTurn();
        });
    },
    interrupt: (typed) => {
      const recently = performance.now() - lastInterrupt;
      lastInterrupt = performance.now();
      const others = client.tasks.running();
      const { busy } = client.view();
      if (stopShell()) return;
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
  };
  screen = openLines(events, face.terminal.TERM === "dumb");
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, () => ended(EXIT.interrupted));

  screen.print(header(client, version, opened.value.notices));
  attach(client);
  screen.print("Type a message, or /help. Ctrl+C interrupts, Ctrl+D leaves.");
  const stillWorking = setInterval(() => client.view().busy && current().print("still working"), STILL_WORKING_MS);
  client.ready().catch(printError);
  if (text !== "") {
    screen.print(`> ${text}`);
    events.line(text);
  }
  running--;
  tellTurn();
  const code = await finished;
  clearInterval(stillWorking);
  client.interrupt("exit");
  await client.close(code === EXIT.done ? { type: "routine" } : { type: "signal" });
  stop();
  screen.close();
  process.stdout.write(`\n${exitLines(client, facts, Date.now() - startedAt).join("\n")}\n`);
  return code;
}

function unopened(): never {
  throw new Error("The terminal is not open yet.");
}

const stillRunning = (count: number): string =>
  count === 1
    ? "1 agent is still running in the background; Ctrl+C again stops it."
    : `${count} agents are still running in the background; Ctrl+C again stops them.`;

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
  return lines.join("\n");
}
