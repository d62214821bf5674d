// A line that is a command for the user's own shell.

export type ShellLine = { command: string; isSilent: boolean };

/** `!command`, or `!!command`, which the model is not told of. */
export function readShellLine(text: string): ShellLine | undefined {
  const [, marks, command] = /^(!!?)\s*([^\s!][\s\S]*)$/.exec(text) ?? [];
  return command === undefined ? undefined : { command: command.trim(), isSilent: marks === "!!" };
}
