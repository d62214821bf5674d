// Rules and wordings that OpenAI's two wires share.
import { type Json, object } from "../json.ts";

export const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

export function emptyArray(at: string): string {
  return `Invalid '${at}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
}

export function wrongPattern(at: string): string {
  return `Invalid '${at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
}

export function tooLong(at: string, limit: number, length: number): string {
  return `Invalid '${at}': string too long. Expected a string with maximum length ${limit}, but got a string with length ${length} instead.`;
}

/** A function's name and schema, `parameters` left out meaning none. */
export function* schemaViolations(declared: Json, at: string): Generator<string> {
  const name = String(declared.name);
  if (declared.name === undefined) yield `Missing required parameter: '${at}.name'.`;
  else if (!namePattern.test(name)) yield wrongPattern(`${at}.name`);
  if (declared.parameters === undefined || declared.parameters === null) return;
  const type = object(declared.parameters)?.type;
  if (type !== "object") {
    yield `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${type ?? "None"}"'.`;
  }
}
