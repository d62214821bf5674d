// The door of the terminal face: the screen, or plain lines where a screen cannot be drawn or is not wanted.
import { describeFailure } from "../base/failure.ts";
import { home } from "../runtime/client.ts";
import type { TerminalRun } from "./loop/run.ts";

export async function runTerminal(run: TerminalRun): Promise<number | { plain: string }> {
  const face = await home.faceStart(run.open);
  if (!face.ok) {
    process.stderr.write(`${describeFailure(face.error)}\n`);
    return face.error.exit;
  }
  const { ui, terminal } = face.value;
  if (ui.plain) return { plain: ui.plainSource };
  if (terminal.TERM === "dumb") return { plain: "TERM=dumb" };
  const { runScreen } = await import("./loop/run.ts");
  return runScreen(face.value, run);
}
