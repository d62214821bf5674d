// The offline model: the share of questions with the expected place in the first three quotes, and the time of an answer.
// The model was tuned on the first set. The second gave 0.83 and the third 0.85 when first run, before the fixes they led to;
// a figure for questions it never saw needs new ones.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { evaluate, questions, unpack } from "../test/eval/offline/evaluate.ts";
import { alternate, print, timed } from "./measure.ts";

const FILES = 5000;
const ROUNDS = 5;

export async function bench(): Promise<void> {
  for (const [set, cases] of Object.entries(questions())) {
    const { share, count, missed } = await evaluate(cases);
    const repositories = Object.keys(cases).length;
    console.log(
      `${set}: ${count} questions on ${repositories} repositories, answered in the first three quotes: ${share.toFixed(2)} (target >= 0.80)`,
    );
    for (const { repository, prompt, expected, sources } of missed)
      console.log(
        `  missed in ${repository}: ${prompt} (${expected}; got ${sources.slice(0, 3).join(", ") || "nothing"})`,
      );
  }
  await answerTime();
}

/** The whole program, from its start to its end: the time on the clock, and the processor time of it and its searches. */
async function answerTime(): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const folder = unpack("python", join(base, "repository"));
  for (let n = 0; n < FILES; n++) {
    const part = join(folder, "orchard", `part${n % 50}`);
    mkdirSync(part, { recursive: true });
    const row = `def step_${n}(delivery, crate=${n}):\n    """Weighs crate ${n}."""\n    return delivery.weight * ${n}\n\n`;
    const port = n % 20 === 0 ? `PORT = ${n}\n` : "";
    writeFileSync(join(part, `step_${n}.py`), row.repeat(20) + port);
  }
  const bin = join(process.cwd(), "bin", "everlong.js");
  const env = { PATH: process.env["PATH"] ?? "", EVERLONG_HOME: join(base, "home"), HOME: base };
  const run = async (args: string[]): Promise<number> => {
    const shell = spawn("sh", ["-c", '"$@" >&2; times', "sh", process.execPath, ...args], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return processorMs(await text(shell.stdout));
  };
  await run([bin, "-p", "hello"]); // warm the compile cache
  for (const prompt of ["where is the port set?", "who calls send_alert?", "what is this repository?"]) {
    const empty = () => timed(() => run(["-e", "0"]));
    const answer = () => timed(() => run([bin, "-p", prompt]));
    print(`"${prompt}" in ${FILES} files`, await alternate(ROUNDS, empty, answer), "under 1000 ms");
    const processor = await alternate(
      ROUNDS,
      () => run(["-e", "0"]),
      () => run([bin, "-p", prompt]),
    );
    print("  processor time", processor, "under 1000 ms");
  }
  rmSync(base, { recursive: true, force: true });
}

/** The last row of the shell's `times`: user and system time of what it ran, such as `0m0.63s 0m0.21s`. */
function processorMs(times: string): number {
  const last = times.trim().split("\n").at(-1) ?? "";
  const spans = [...last.matchAll(/(\d+)m([\d.]+)s/g)];
  return spans.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000, 0);
}
