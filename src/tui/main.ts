// The door of the terminal face: the screen, or plain lines where a screen cannot be drawn or is not wanted.
import { describeFailure } from "../base/failure.ts";
import { home } from "../runtime/client.ts";
import type { TerminalRun } from "./loop/run.ts";

export async function runTerminal(run: TerminalRun): Promise<number> {
  const face = await home.faceStart(run.open);
  if (!face.ok) {
    process.stderr.write(`${describeFailure(face.error)}\n`);
    return face.error.exit;
  }
  const { ui, terminal } = face.value;
  const plain = ui.plain
    ? ui.plainSource.replace(/^flag.*/, "--plain")
    : terminal.TERM === "dumb"
      ? "TERM=dumb"
      : undefined;
  if (plain === undefined) return (await import("./loop/run.ts")).runScreen(face.value, run);
  return (await import("./plain/plain-mode.ts")).runPlain(face.value, run, plain);
}
