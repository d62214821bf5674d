// A command of the person's own that runs in front, with the end of what it has printed.
export type FrontShell = { command: string; isShared: boolean; since: number; output: string };

/** More than a screen. */
const TAIL_CHARS = 16_384;

export const withOutput = (shell: FrontShell, text: string): FrontShell => ({
  ...shell,
  output: `${shell.output}${text.slice(-TAIL_CHARS)}`.slice(-TAIL_CHARS),
});
