// A shell line read down to literal words: what was judged, and all that is run of it.

const PLAN_REDIRECTS = [">/dev/null", "2>/dev/null", "2>&1", ">&2", "</dev/null"] as const;
export type PlanRedirect = (typeof PLAN_REDIRECTS)[number];

export type PlannedCommand = {
  /** The program's name and its arguments, each exactly as it was judged. */
  argv: readonly string[];
  /** Those of `argv` that a pattern gave: names of files, wherever they stand. */
  matches: readonly string[];
  redirects: readonly PlanRedirect[];
  /** The real folder that it runs in; of `cd`, the one that it leads to. */
  folder: string;
  /** The system's own program of that name, whatever PATH says; absent for builtins and for programs that are not there. */
  program?: string;
  /** It only looks and nobody was asked about it. Set by the door. */
  unasked: boolean;
};

/** `joint`: how it follows what stands before it. */
export type PlannedPipeline = { joint: ";" | "&&" | "||"; negated: boolean; commands: readonly PlannedCommand[] };

export type ShellPlan = { pipelines: readonly PlannedPipeline[] };

export const plannedCommands = (plan: ShellPlan): PlannedCommand[] => plan.pipelines.flatMap((p) => p.commands);

/** The whole line only looks, and nobody was asked about any of it. */
export const isUnasked = (plan: ShellPlan): boolean => plannedCommands(plan).every((c) => c.unasked);

export const withUnasked = (plan: ShellPlan, unasked: (command: PlannedCommand) => boolean): ShellPlan => ({
  pipelines: plan.pipelines.map((pipeline) => ({
    ...pipeline,
    commands: pipeline.commands.map((command) => ({ ...command, unasked: unasked(command) })),
  })),
});

/** The line that a shell gets: every word quoted, no operator but our own. */
export function renderPlan(plan: ShellPlan): string {
  return plan.pipelines
    .map(({ joint, negated, commands }, index) => {
      const before = index === 0 ? "" : joint === ";" ? "; " : ` ${joint} `;
      return `${before}${negated ? "! " : ""}${commands.map(renderCommand).join(" | ")}`;
    })
    .join("");
}

function renderCommand({ argv, redirects, folder, program, unasked }: PlannedCommand): string {
  const [name = "", ...args] = argv;
  // What follows was judged in that folder: it runs there or not at all.
  if (name === "cd")
    return `{ ${[...["command", "cd", "-P", "--", folder].map(quoted), ...redirects].join(" ")} || exit 1; }`;
  const words = !unasked ? argv : program === undefined ? ["command", name, ...args] : [program, ...args];
  return [...words.map(quoted), ...redirects].join(" ");
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
