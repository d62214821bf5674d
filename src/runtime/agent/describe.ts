// How the registry is told of an agent that is to start.
import { type AgentDefinition, consolidates } from "../../agent/catalog/definition.ts";
import { CONSOLIDATION_PROMPT } from "../../memory/consolidate/prompt.ts";

export const describe = (
  definition: AgentDefinition,
  input: { name: string; description: string; prompt: string },
) => ({
  name: input.name,
  agentType: definition.name,
  displayName: definition.displayName,
  agentDescription: definition.description,
  description: input.description,
  // Whatever the call passed: what is consolidated comes from the store.
  prompt: consolidates(definition) ? CONSOLIDATION_PROMPT : input.prompt,
  // It completes, whatever it is asked.
  multiTurn: !consolidates(definition),
});
