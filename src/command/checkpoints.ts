// `everlong checkpoints` and `/checkpoints`: summaries written by compactions.
import { refusal } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import type { CheckpointView } from "../runtime/client.ts";
import { type CommandOutcome, output, type SlashCommand } from "./contract.ts";
import { minute } from "./format.ts";

export const checkpoints: SlashCommand = {
  name: "checkpoints",
  summary: "show summaries made by compaction",
  arguments: "[session] [number]",
  json: "value",
  async run({ args: [session, number] }, { on }) {
    // A lone number is a checkpoint's.
    const isLone = number === undefined && session !== undefined && /^\d{1,3}$/.test(session);
    const all = await on.checkpoints(isLone ? undefined : session);
    return all.ok ? showCheckpoints(all.value, (isLone ? session : number) ?? "") : all;
  },
  slash: {
    usage: "[N]",
    summary: "show summaries made by compaction",
    async run(number, client) {
      const all = await client.checkpoints();
      return all.ok ? showCheckpoints(all.value, number) : all;
    },
  },
};

/** All of them as a list, or one as its text. */
export function showCheckpoints(all: readonly CheckpointView[], wanted: string): CommandOutcome {
  if (wanted === "") {
    const rows = all.map(
      ({ number, created, turns, title }) => `${number}  ${minute(created)}  t${turns.from}-t${turns.to}  ${title}`,
    );
    const none = "No checkpoints yet: compaction writes them.";
    return output(
      rows.join("\n") || none,
      all.map(({ text: _whole, ...view }) => view),
    );
  }
  const one = all.filter(({ number }) => String(number) === wanted);
  if (one.length > 0) return output(one.at(-1)?.text ?? "", one);
  if (all.length === 0) return showCheckpoints(all, "");
  return fail(
    refusal(
      "no_such_checkpoint",
      `Checkpoint not found: ${wanted}.`,
      `Checkpoints: ${all.map(({ number }) => number).join(", ")}.`,
    ),
  );
}
