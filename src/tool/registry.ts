// Which tools there are, which of them are offered, and how they are described to a model.
import * as z from "zod";
import type { AgentMode } from "../schema/permission.ts";
import type { ToolDefinition } from "../schema/tool.ts";
import type { Tool } from "./contract.ts";

type ToolOffer = {
  mode: AgentMode;
  /** Names that the running agent's definition allows; absent = all. */
  only?: readonly string[];
  /** The setting `tool.exclude`. */
  exclude?: readonly string[];
};

/** Hidden is not denied: this decides what the model sees, permissions decide what runs. Sorted by name. */
export function offeredTools(tools: Iterable<Tool>, { mode, only, exclude = [] }: ToolOffer): Tool[] {
  return [...tools]
    .filter((t) => (t.onlyMode === undefined ? mode !== "plan" || t.planMode === true : t.onlyMode === mode))
    .filter((t) => (only === undefined || only.includes(t.name)) && !exclude.includes(t.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const definitions = new WeakMap<Tool, ToolDefinition>();

/** Equal for a tool's whole life: it is made once. */
export function toolDefinition(tool: Tool): ToolDefinition {
  let definition = definitions.get(tool);
  if (!definition) {
    // `input` describes what the model sends, so that a field with a default is not required.
    const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: "input" });
    definition = { name: tool.name, description: tool.description.trim(), parameters };
    definitions.set(tool, definition);
  }
  return definition;
}
