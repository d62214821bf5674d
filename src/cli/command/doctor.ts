// `everlong doctor`: one line a check, what to do under it, and a count at the end.
import type { Command } from "commander";
import type { CheckResult } from "../../runtime/doctor/check.ts";
import type { Diagnosis, DoctorOptions } from "../../runtime/doctor/doctor.ts";
import { EXIT, printFailure } from "../exit.ts";
import { counted } from "../format/table.ts";
import { askTerminal } from "./ask-terminal.ts";
import type { Done } from "./print.ts";

export function addDoctor(program: Command, done: Done): void {
  program
    .command("doctor")
    .description("check the installation, the stored data and the settings; changes nothing without --fix")
    .option("--fix", "repair what can be repaired")
    .option("--online", "also ask the model's server")
    .option("--report <file>", "write the findings, without secrets, into a file to share")
    .option("--json", "as JSON")
    .action(async (options: DoctorOptions & { json?: boolean }) => done(await run(options)));
}

async function run(options: DoctorOptions & { json?: boolean }): Promise<number> {
  const { diagnose } = await import("../../runtime/doctor/doctor.ts");
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const confirm = async (question: string): Promise<boolean> =>
    isTerminal && !options.json && /^y(es)?$/i.test((await askTerminal(`${question} [y/N] `))?.trim() ?? "");
  const show = (result: CheckResult): void => void process.stdout.write(`${resultText(result)}\n`);
  const diagnosis = await diagnose(options, confirm, options.json ? undefined : show);
  if (!diagnosis.ok) return printFailure(diagnosis.error);
  const { counts, report } = diagnosis.value;
  process.stdout.write(options.json ? `${JSON.stringify(diagnosis.value, undefined, 2)}\n` : `${summary(counts)}\n`);
  if (report !== undefined && !options.json)
    process.stdout.write(`The report is in ${report}. Look through it before you share it.\n`);
  return counts.fail > 0 ? EXIT.failed : EXIT.done;
}

const resultText = ({ status, name, finding, fix, mended = [] }: CheckResult): string =>
  [
    `${status.padEnd(4)} ${name}: ${finding}`,
    ...(fix ? [`     fix: ${fix}`] : []),
    ...mended.map((did) => `     done: ${did}`),
  ].join("\n");

const summary = ({ ok, warn, fail }: Diagnosis["counts"]): string =>
  `${ok} ok, ${counted(warn, "warning")}, ${counted(fail, "failure")}`;
