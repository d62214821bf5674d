// Expected outcomes are values; a throw is a bug or a broken machine.
export type Result<T, E> = { ok: true; value: T } | { ok: false; error: E };

export const ok = <T>(value: T): { ok: true; value: T } => ({ ok: true, value });
export const fail = <E>(error: E): { ok: false; error: E } => ({ ok: false, error });
export const isFailure = (result: Result<unknown, unknown>): boolean => !result.ok;
