// What a command gives back: text for the person, or a failure.
import type { Failure } from "../base/failure.ts";
import type { Result } from "../base/result.ts";

export type CommandResult = Result<string, Failure>;
