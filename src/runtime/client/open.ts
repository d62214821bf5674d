// How a face reaches a part of the machine: it is opened for one piece of work and closed after it.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";

/** `work` may run a second time when the store turns out to be damaged and was repaired. */
export type Opener<Access> = <T>(work: (access: Access) => Promise<Result<T, Failure>>) => Promise<Result<T, Failure>>;

/** What an operation gives that can fail in expected ways. */
export type ResultPromise<T> = Promise<Result<T, Failure>>;
