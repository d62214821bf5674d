// The commands beside the agent on the command line: the table of commands as commander's, and what each result prints.
import type { Command as Program } from "commander";
import type { Faces, OwnProcess } from "../command/contract.ts";
import { addCommand, render } from "../command/parse.ts";
import { lineCommands } from "../command/table.ts";
import { home } from "../runtime/client.ts";
import { tellEvent } from "./event-line.ts";
import { EXIT, printFailure } from "./exit.ts";
import { eventReader, personAtTerminal } from "./person.ts";

/** `onEnd` gets the exit code. */
export function addCommands(program: Program, faces: Faces, onEnd: (exitCode: number) => void): void {
  for (const command of lineCommands)
    addCommand(program, command, async (one, call) => {
      if (one.own) return onEnd(await one.own(call, { ...ownProcess, faces }));
      const isStream = program.opts()["outputFormat"] === "stream-json";
      // With --json stdout is data alone.
      const person = isStream ? eventReader() : personAtTerminal("json" in call.options ? "stderr" : "stdout");
      const outcome = await one.run?.(call, { on: home, person });
      if (!outcome) return;
      if (!outcome.ok) return onEnd(printFailure(outcome.error));
      const { text, data } = outcome.value;
      if (isStream) tellEvent("command.output", { text, ...(data === undefined ? {} : { value: data }) });
      else print(render(one, call, outcome.value));
      onEnd(outcome.value.exit ?? EXIT.done);
    });
}

function print(text: string): void {
  if (text !== "") process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const ownProcess: Omit<OwnProcess, "faces"> = {
  stdin: process.stdin,
  stdout: process.stdout,
  print,
  warn: (text) => void process.stderr.write(`${text}\n`),
  fail: printFailure,
  isWatched: process.stderr.isTTY,
  interrupted: () =>
    new Promise((resolve) => {
      let isFirst = true;
      for (const signal of SIGNALS)
        process.on(signal, () => {
          if (!isFirst) process.exit(EXIT.interrupted);
          isFirst = false;
          resolve();
        });
    }),
  endAtSignal() {
    for (const signal of SIGNALS) process.once(signal, () => process.exit(EXIT.interrupted));
  },
  onBug(report) {
    for (const event of ["uncaughtException", "unhandledRejection"] as const) {
      process.removeAllListeners(event);
      process.on(event, report);
    }
  },
  atExit: (work) => void process.once("exit", work),
};
