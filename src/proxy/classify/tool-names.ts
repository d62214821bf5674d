// Which tools a request offers, on every wire.
import { isRecord } from "../../base/json.ts";
import { recordsIn, stringAt } from "../../model/wire/adapter.ts";
import { wireAdapters } from "../../model/wire/adapters.ts";
import type { ScannedBody } from "../contract.ts";

type Body = Pick<ScannedBody, "value" | "wire">;

/** Sorted, each once. */
export function toolNames({ value, wire }: Body): string[] {
  return [...new Set([...wireAdapters[wire].tools(value), ...toolsInHistory(value)].flatMap(namesIn))].sort();
}

/** Codex offers its tools to newer models in an item of the input. */
function toolsInHistory({ input }: Body["value"]): unknown[] {
  const items = recordsIn(input).filter((item) => item["type"] === "additional_tools");
  return items.flatMap((item) => recordsIn(item["tools"]));
}

function namesIn(tool: unknown): string[] {
  if (!isRecord(tool)) return [];
  const declared = tool["functionDeclarations"] ?? tool["function_declarations"];
  if (Array.isArray(declared)) return recordsIn(declared).flatMap((one) => stringAt(one, "name") ?? []);
  if (tool["type"] === "namespace") return recordsIn(tool["tools"]).flatMap(namesIn);
  const holder = [tool["function"], tool["custom"], tool].find(isRecord) ?? tool;
  const name = stringAt(holder, "name") ?? stringAt(tool, "type");
  // Gemini's own tools have no name but their field.
  return name === undefined ? Object.keys(tool).slice(0, 1) : [name];
}

/** The model may not call any of them. */
export function forbidsTools({ value }: Body): boolean {
  const choice = value["tool_choice"] ?? value["function_call"];
  const config = value["toolConfig"] ?? value["tool_config"];
  const calling = isRecord(config) ? (config["functionCallingConfig"] ?? config["function_calling_config"]) : undefined;
  const modes = [
    choice,
    isRecord(choice) ? choice["type"] : undefined,
    isRecord(calling) ? calling["mode"] : undefined,
  ];
  return modes.some((mode) => typeof mode === "string" && mode.toLowerCase() === "none");
}

export const offersTools = (body: Body): boolean => toolNames(body).length > 0 && !forbidsTools(body);

/** Jaccard: what is in both, of all that is in either. */
export function overlap(one: readonly string[], other: readonly string[]): number {
  const names = new Set(one);
  const both = other.filter((name) => names.has(name)).length;
  const all = new Set([...one, ...other]).size;
  return all === 0 ? 1 : both / all;
}
