// What every command does with its result, and how it reads numbers.
import { InvalidArgumentError } from "commander";
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import { printFailure } from "../exit.ts";

export type Done = (exitCode: number) => void;
export type Print = (result: Promise<Result<string | { json: unknown }, Failure>>) => Promise<void>;

/** Prints what an operation gave: text as it is, objects as JSON. */
export function printer(done: Done): Print {
  return async (pending) => {
    const result = await pending;
    if (!result.ok) return done(printFailure(result.error));
    const text = typeof result.value === "string" ? result.value : JSON.stringify(result.value.json, undefined, 2);
    if (text !== "") process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
    done(0);
  };
}

export function limit(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 1 on.");
  return Number(text);
}
