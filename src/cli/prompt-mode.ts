// Prompt mode: one prompt or command, then exit. Stdout carries the answer in the chosen format and nothing else.

import { describeFailure, type Failure, FailureError } from "../base/failure.ts";
import { encodeLine } from "../base/json-line.ts";
import { pieces } from "../base/text.ts";
import type { CommandOutcome, Person } from "../command/contract.ts";
import { counted } from "../command/format.ts";
import type { TypedText } from "../command/slash.ts";
import {
  type AbandonedAgent,
  type AgentPrompt,
  type Client,
  home,
  type Opened,
  type OpenOptions,
  openClient,
  reportCrash,
} from "../runtime/client.ts";
import type { Envelope } from "../schema/event/envelope.ts";
import { EXIT, printFailure } from "./exit.ts";
import { metrics } from "./format/metrics.ts";
import { noticeLine } from "./format/notice.ts";
import { RunTotals } from "./format/totals.ts";
import type { PromptText } from "./prompt-text.ts";
import { type Interrupts, listenForInterrupts } from "./signals.ts";

type PromptRun = {
  open: OpenOptions;
  prompt: PromptText;
  silent: boolean;
};

export async function runPromptMode({ open: given, prompt, silent }: PromptRun): Promise<number> {
  const open = { ...given, slashNames: async () => (await commands()).slashNames() };
  const typed = await typedText(prompt.text);
  const startedAt = performance.now();
  if (typed.type === "unknown") {
    const own = await home.customCommandNames(open);
    const { unknownCommand } = await commands();
    if (!own.includes(typed.name)) return failBeforeStart(unknownCommand(typed.name, own), open.flags, startedAt);
  }
  if (typed.type === "command" && typed.command.slash.ofTerminal) {
    const what = `/${typed.command.name} works only in the interactive agent.`;
    const failure: Failure = {
      code: "interactive_only",
      what,
      data: "Nothing was sent.",
      next: "Run everlong without -p.",
      exit: 2,
    };
    return failBeforeStart(failure, open.flags, startedAt);
  }
  const opened = await openClient(open);
  if (!opened.ok) return failBeforeStart(opened.error, open.flags, startedAt);
  return new Run(opened.value, typed, prompt.attached, silent, startedAt).go();
}

/** A prompt needs none of the commands, and a start does not pay for them. */
const commands = async () => ({ ...(await import("../command/slash.ts")), ...(await import("../command/table.ts")) });

const typedText = async (text: string): Promise<TypedText> =>
  text.startsWith("/") ? (await commands()).parseTyped(text) : { type: "prompt", text };

/** There is no session yet; who asked for JSON gets its object all the same. */
export async function failBeforeStart(
  failure: Failure,
  flags: OpenOptions["flags"],
  startedAt = performance.now(),
): Promise<number> {
  if ((await home.outputFormat(flags)) === "json") {
    const { code, what } = failure;
    const durationMs = Math.round(performance.now() - startedAt);
    const usage = new RunTotals().usage();
    print({ sessionId: null, result: "", success: false, usage, turns: 0, durationMs, error: { code, message: what } });
  }
  return printFailure(failure);
}

class Run {
  readonly #client: Client;
  readonly #opened: Opened;
  readonly #typed: TypedText;
  readonly #attached: string | undefined;
  readonly #silent: boolean;
  readonly #startedAt: number;
  readonly #totals = new RunTotals();
  #commandFailure: Failure | undefined;
  #commandOutput: string | undefined;
  #abandoned: AbandonedAgent[] = [];

  constructor(opened: Opened, typed: TypedText, attached: string | undefined, silent: boolean, startedAt: number) {
    this.#opened = opened;
    this.#client = opened.client;
    this.#typed = typed;
    this.#attached = attached;
    this.#silent = silent;
    this.#startedAt = startedAt;
  }

  async go(): Promise<number> {
    const interrupts = listenForInterrupts(() => this.#client.interrupt("interrupted"));
    for (const line of this.#opened.notices) this.#note(line);
    const stop = this.#client.on((event) => this.#show(event));
    let broken: Broken | undefined;
    try {
      await this.#work(interrupts);
    } catch (error) {
      broken = brokenBy(error);
    }
    const end = interrupts.happened ? "signal" : broken ? "error" : "routine";
    await this.#client.close({ type: end, ...(broken ? { reason: broken.message } : {}) });
    stop();
    return this.#finish(interrupts.happened !== undefined, broken);
  }

  async #work(interrupts: Interrupts): Promise<void> {
    await this.#client.ready(this.#typed.type === "prompt" ? this.#typed.text : undefined);
    const message = await this.#message();
    if (message !== undefined && !interrupts.happened)
      await this.#client.send(message, this.#attached === undefined ? {} : { attached: this.#attached });
    this.#abandoned = (await this.#client.untilIdle(true)).abandoned;
    if (this.#opened.exportPath) {
      const outcome = await this.#client.session.export(formatOf(this.#opened.exportPath), this.#opened.exportPath);
      if (!outcome.ok) this.#note(outcome.error.what);
    }
  }

  /** What is to be sent; a command may have done all there was to do. */
  async #message(): Promise<string | AgentPrompt | undefined> {
    const typed = this.#typed;
    if (typed.type === "prompt") return typed.text;
    if (typed.type === "command") return this.#command(typed);
    const custom = await this.#client.extensions.prompt(typed.name, typed.args);
    if (custom?.ok) return custom.value;
    this.#commandFailure = custom?.error ?? typed.failure;
    return undefined;
  }

  async #command(typed: Extract<TypedText, { type: "command" }>): Promise<string | AgentPrompt | undefined> {
    const nobody: Person = { print: (line) => this.#note(line) };
    const { runSlash } = await commands();
    const outcome: CommandOutcome = await runSlash(typed, this.#client, nobody);
    if (!outcome.ok) this.#commandFailure = outcome.error;
    else if (outcome.value.send !== undefined) return outcome.value.send;
    else if (outcome.value.text !== "") this.#commandOutput = outcome.value.text;
    return undefined;
  }

  #show(event: Envelope): void {
    this.#totals.add(event);
    if (this.#opened.outputFormat === "stream-json") process.stdout.write(encodeLine(event));
    const line = noticeLine(event, this.#opened.redact);
    if (line !== undefined) this.#note(line, event.type === "session.error");
    if (event.type !== "turn.end" || event.agentId !== undefined) return;
    const count = this.#client.tasks.running();
    if (count > 0) this.#note(`waiting for ${counted(count, "background task")}`);
  }

  #note(line: string, always = false): void {
    if (!this.#silent || always) process.stderr.write(`${line}\n`);
  }

  async #finish(interrupted: boolean, broken: Broken | undefined): Promise<number> {
    const totals = this.#totals;
    const error = this.#error(interrupted, broken);
    const result = totals.result === "" ? (this.#commandOutput ?? "") : totals.result;
    const durationMs = Math.round(performance.now() - this.#startedAt);
    const { sessionId } = this.#client;
    if (this.#opened.outputFormat === "json") {
      print({
        sessionId,
        result,
        success: error === undefined,
        usage: totals.usage(),
        turns: totals.turns,
        durationMs,
        model: this.#client.view().model,
        steps: totals.steps,
        permissionDenials: totals.denials,
        ...(error ? { error } : {}),
      });
    } else if (this.#opened.outputFormat === "text" && result !== "") await printText(result);
    if (this.#commandFailure) printFailure(this.#commandFailure);
    else if (error && error !== totals.workflowFailed && error.code !== totals.error?.code)
      process.stderr.write(`${error.message}\n`); // the others were told when they came
    // A session without a prompt is not kept: its figures are nothing, and it cannot be resumed.
    if (!this.#silent && this.#client.view().promptCount > 0)
      process.stderr.write(metrics(totals, { durationMs, sessionId }));
    if (interrupted) return EXIT.interrupted;
    return this.#commandFailure?.exit ?? (error ? EXIT.failed : EXIT.done);
  }

  /** Why the work does not count as done; undefined when it does. */
  #error(interrupted: boolean, broken: Broken | undefined): Broken | undefined {
    if (interrupted) {
      const isKept = this.#client.view().promptCount > 0;
      const rest = isKept ? "The session is saved and can be resumed." : "Nothing was sent.";
      return { code: "interrupted", message: `Interrupted. ${rest}` };
    }
    if (broken) return broken;
    if (this.#commandFailure) return { code: this.#commandFailure.code, message: this.#commandFailure.what };
    if (this.#abandoned.length > 0) return { code: "wait_timeout", message: gaveUpOn(this.#abandoned) };
    const { workflowFailed, autopilotStopped } = this.#totals;
    if (workflowFailed) return workflowFailed;
    const last = this.#client.view().lastTurn;
    if (last && last.status !== "done") {
      return this.#totals.error ?? { code: last.status, message: last.reason ?? `The turn ended: ${last.status}.` };
    }
    const complete = this.#totals.taskComplete;
    if (complete && !complete.success)
      return { code: "task_failed", message: `The task was not completed: ${complete.summary}` };
    if (autopilotStopped && autopilotStopped.reason !== "task_complete") {
      const { reason, continuations } = autopilotStopped;
      const message = `Autopilot ended without task_complete (${reason}, ${continuations} continuations): the task may not be done.`;
      return { code: reason, message };
    }
    return undefined;
  }
}

function gaveUpOn(agents: readonly AbandonedAgent[]): string {
  const names = agents.map(({ id, intent }) => (intent === undefined ? id : `${id} (${intent})`));
  return `Stopped waiting for agents that were silent for prompt.waitSeconds: ${names.join(", ")}. Their work is kept.`;
}

type Broken = { code: string; message: string };

/** A session that cannot be written says so itself; anything else that is thrown is a bug of ours. */
function brokenBy(error: unknown): Broken {
  if (error instanceof FailureError) return { code: error.failure.code, message: describeFailure(error.failure) };
  return { code: "internal_error", message: reportCrash(error) };
}

const formatOf = (path: string): string => /\.(md|html|json|jsonl)$/.exec(path)?.[1] ?? "md";

/** Piece by piece: a long answer is not copied once more to be printed. A reader that goes away ends the process. */
async function printText(text: string): Promise<void> {
  for (const piece of pieces(text)) await new Promise((resolve) => process.stdout.write(piece, resolve));
  process.stdout.write("\n");
}

function print(object: unknown): void {
  process.stdout.write(`${JSON.stringify(object)}\n`);
}
