// `everlong doctor`: one line a check, what to do under it, and a count at the end.
import { ok } from "../base/result.ts";
import { type CheckResult, type Diagnosis, type DoctorOptions, home } from "../runtime/client.ts";
import type { CommandCall, SlashCommand } from "./contract.ts";
import { counted } from "./format.ts";

export const doctor: SlashCommand = {
  name: "doctor",
  summary: "check the installation, your data and settings",
  options: [
    { flags: "--fix", help: "repair what can be repaired" },
    { flags: "--online", help: "also contact the model's server" },
    { flags: "--report <file>", help: "write a report to share, without secrets" },
  ],
  json: "value",
  slash: { usage: "[--fix] [--online]" },
  async run({ options }: CommandCall<DoctorOptions & { json?: boolean }>, { person }) {
    const { json } = options;
    const confirm = async (question: string): Promise<boolean> =>
      (!json && (await person.confirm?.(question))) ?? false;
    const show = (result: CheckResult): void => (json ? undefined : person.print(resultText(result)));
    const diagnosis = await home.doctor.diagnose(options, confirm, show);
    if (!diagnosis.ok) return diagnosis;
    const { counts, report } = diagnosis.value;
    const share = report === undefined ? [] : [`Report written to ${report}. Read it before you share it.`];
    return ok({
      data: diagnosis.value,
      text: [summary(counts), ...share].join("\n"),
      ...(counts.fail > 0 ? { exit: 1 } : {}),
    });
  },
};

const resultText = ({ status, name, finding, fix, mended = [] }: CheckResult): string =>
  [
    `${status.padEnd(4)} ${name}: ${finding}`,
    ...(fix ? [`     fix: ${fix}`] : []),
    ...mended.map((did) => `     repair: ${did}`),
  ].join("\n");

const summary = ({ ok: good, warn, fail }: Diagnosis["counts"]): string =>
  `${good} ok, ${counted(warn, "warning")}, ${counted(fail, "failure")}`;
