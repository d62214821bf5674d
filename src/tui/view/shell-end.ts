// How a command ended, read from the line that its result closes with, in words.

/** `background`: where a command goes on that has not ended. */
export type ShellEnding = { output: string; seconds?: string; failure?: string; background?: string };

const EXITED = /(?:^|\n)\[(.{0,200}?)exit code (-?\d{1,10})( \([^\n]{0,200}\))?, ([\d.]{1,12}) s\]\s*$/;
const RUNNING = /(?:^|\n)\[still running after [^\n]{0,40} shell_id (\w{1,20})[^\n]{0,200}\]\s*$/;

export function readShellEnd(result: string): ShellEnding {
  // The closing line is short: a result of many megabytes is not searched for it.
  const from = Math.max(0, result.length - 1000);
  const tail = result.slice(from);
  const exit = EXITED.exec(tail);
  if (exit) {
    const [, how = "", code = "0", detail = "", seconds = "0"] = exit;
    const output = result.slice(0, from + exit.index);
    const lead = how.startsWith("stopped")
      ? "Stopped: command"
      : how.startsWith("ended")
        ? "Time limit: command"
        : "Command";
    const ended = how.startsWith("could not")
      ? `Command could not be started${detail}`
      : `${lead} exited with code ${code}${detail}`;
    const isFine = code === "0" && how === "";
    return { output: noOutput(output), seconds: `${seconds}s`, ...(isFine ? {} : { failure: ended }) };
  }
  const running = RUNNING.exec(tail);
  if (!running) return { output: result };
  return { output: noOutput(result.slice(0, from + running.index)), background: `in the background as ${running[1]}` };
}

const noOutput = (output: string): string => (output.trim() === "(no output)" ? "" : output);
