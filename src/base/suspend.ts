// Ctrl+Z at an input line: the whole job stops, the programs that started ours too, and goes on with `fg`.
import type { Interface } from "node:readline";

/** Readline would stop this process alone, and a launcher or npm above it would keep the terminal from the shell. */
export function suspendable<Line extends Interface>(line: Line, redraw = () => line.prompt(true)): Line {
  if (!line.terminal) return line;
  const { stdin } = process;
  const takeTerminal = (): void => {
    // The shell has changed the mode since; only a change of ours sets it again.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    redraw();
  };
  line.on("SIGTSTP", () => {
    stdin.setRawMode(false);
    process.kill(0, "SIGTSTP");
    // Where no shell could bring the job back, the system ignores the signal, and no SIGCONT follows.
    takeTerminal();
  });
  process.on("SIGCONT", takeTerminal);
  line.once("close", () => process.off("SIGCONT", takeTerminal));
  return line;
}
