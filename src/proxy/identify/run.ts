// A run of `everlong with`: the token that its agent carries in its base URL or a header, and what the gateway knows by it.

export type AgentRun = {
  /** Whose run it is: the identity of all its requests, whatever keys they bring. */
  user: string;
  folder: string;
  /** The key of the folder's repository. */
  repository: string;
};

/** The run of a token, as long as it goes on. Must not throw. */
export type RunOf = (token: string) => AgentRun | undefined;

/** Holders of the tokens of this home are its owner. */
export const OWNER = "owner";

const FORM = /^elr-(\d{1,10})-[\w-]{43}$/;

/** Told by its form alone: also one of an ended run goes nowhere. */
export const isRunToken = (text: string): boolean => FORM.test(text);

/** The process that the token names. */
export const processOf = (token: string): number | undefined => {
  const pid = FORM.exec(token)?.[1];
  return pid === undefined ? undefined : Number(pid);
};

/** `/run/TOKEN/rest` without its first two segments; undefined for every other path. */
export function runInPath(segments: readonly string[]): { token: string; segments: readonly string[] } | undefined {
  const [first, token, ...rest] = segments;
  return first === "run" && token !== undefined && rest.length > 0 ? { token, segments: rest } : undefined;
}
