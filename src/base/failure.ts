// What a user is told when something does not work: what happened, what it means for their data, what to do next.
export type Failure = {
  code: string;
  /** What happened. */
  what: string;
  /** What it means for the user's data. */
  data?: string;
  /** What to do next. */
  next?: string;
  /** Exit code of the command line: 1 the work failed, 2 wrong usage, 130 the person stopped it. */
  exit: 1 | 2 | 130;
};

/** What was turned down before anything was done. */
export const refusal = (code: string, what: string, next: string, exit: 1 | 2 = 1): Failure => ({
  code,
  what,
  data: "Nothing was changed.",
  next,
  exit,
});

/** A command that was written in a way it does not take. */
export const commandUsage = (what: string, next: string): Failure => refusal("command_usage", what, next, 2);

/** A request to a model that is refused before anything leaves the machine. */
export const notSent = (code: string, what: string, next: string, exit: Failure["exit"] = 2): Failure => ({
  code,
  what,
  data: "Nothing was sent.",
  next,
  exit,
});

/** Carries a Failure through layers that have no better answer than to stop; the faces print it without a stack. */
export class FailureError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.what);
    this.name = "FailureError";
    this.failure = failure;
  }
}

/** As a person reads it; the code at its end is listed in docs/errors.md. */
export function describeFailure({ what, data, next, code }: Omit<Failure, "exit">): string {
  return withCode(failureText({ what, data, next }), code);
}

/** For readers that get the code beside it. */
export const failureText = ({
  what,
  data,
  next,
}: Pick<Failure, "what"> & { data?: string | undefined; next?: string | undefined }): string =>
  [what, data, next].filter(Boolean).join("\n");

export const withCode = (text: string, code: string | undefined): string =>
  code === undefined || text.endsWith(`[${code}]`) ? text : `${text} [${code}]`;

/** One sentence about an unknown thrown value. */
export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return typeof error === "string" ? error : JSON.stringify(error);
}

/** Why the system refused a file, for a sentence that names the file itself: "permission denied". */
export const systemReason = (error: unknown): string => errorText(error).replace(/^E[A-Z0-9]+: (.+?), [\s\S]*$/, "$1");

/** What a failed `fetch` hides behind its own words. */
export const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? error.cause : error;

export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
