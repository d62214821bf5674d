// What several wires say in the same way about tools, models and the shape of an answer.
import { isRecord } from "../../base/json.ts";
import type { WireBody } from "./contract.ts";
import { recordsIn, stringAt } from "./item.ts";

export const modelInBody = (body: WireBody): string => (typeof body["model"] === "string" ? body["model"] : "");

/** The name of a tool definition, or of what the server itself runs by its type. */
export function toolName(tool: unknown): string[] {
  if (!isRecord(tool)) return [];
  // A namespace holds further definitions.
  if (tool["type"] === "namespace") return recordsIn(tool["tools"]).flatMap(toolName);
  const holder = [tool["function"], tool["custom"], tool].find(isRecord) ?? tool;
  const name = stringAt(holder, "name") ?? stringAt(tool, "type");
  return name === undefined ? Object.keys(tool).slice(0, 1) : [name];
}

/** `none`, as a text or as the type of an object. */
export function isNone(choice: unknown): boolean {
  const mode = isRecord(choice) ? choice["type"] : choice;
  return typeof mode === "string" && mode.toLowerCase() === "none";
}

export const isJsonFormat = (format: unknown): boolean => isRecord(format) && /^json/.test(String(format["type"]));

/** The first of the fields that is a number. */
export function numberAt(body: WireBody, ...fields: readonly string[]): number | undefined {
  return fields.map((field) => body[field]).find((value) => typeof value === "number");
}
