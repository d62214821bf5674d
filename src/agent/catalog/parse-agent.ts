// From the fields and the text of a file to an agent's definition, ours or a custom one.
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { escapeTags } from "../../base/tag.ts";
import { type AgentRole, agentRoles } from "../../schema/model.ts";
import { FieldReader } from "../file/field.ts";
import { normaliseName } from "../file/name.ts";
import type { Layer } from "../file/places.ts";
import type { Document } from "../file/read.ts";
import { expected, type FileWarning } from "../file/warning.ts";
import { type AgentCaps, type AgentDefinition, type PromptParts, promptPartNames } from "./definition.ts";
import { type AgentTools, allTools, namesNothing, parseTools } from "./tools.ts";

export type ParsedAgent = { agent?: AgentDefinition; warnings: FileWarning[] };
type AgentSource = { path: string; origin: Layer /** The name when the file gives none. */; stem: string };

const MAX_PROMPT = 30_000;

/** A Markdown file's agent: its text is the prompt, and it has every part but the consolidation of the board. */
export function parseCustomAgent(source: AgentSource, { fields, body }: Document): ParsedAgent {
  const read = new FieldReader(source.path, fields);
  const prompt = escapeTags(promptOf(read, body));
  const promptParts = partsOf((name) => name !== "includeConsolidationPrompt");
  return parsed(read, { ...shared(read, source), prompt, promptParts, sideEffects: true });
}

/** A built-in's YAML: everything is a field, and a part of the prompt that is not named is left out. */
export function parseBuiltinAgent(source: AgentSource, fields: Record<string, unknown>): ParsedAgent {
  const read = new FieldReader(source.path, fields);
  const wanted = read.map("promptParts") ?? {};
  const gate = read.text("gate");
  return parsed(read, {
    ...shared(read, source),
    prompt: promptOf(read, read.text("prompt") ?? ""),
    promptParts: partsOf((name) => wanted[name] === true),
    sideEffects: read.flag("sideEffects", true),
    ...(gate === undefined ? {} : { gate }),
    ...ownModelOf(read),
    ...optional("role", roleOf(read)),
  });
}

const roleOf = (read: FieldReader): AgentRole | undefined => {
  const text = read.text("role");
  return agentRoles.find((role) => role === text);
};

function ownModelOf(read: FieldReader): Pick<AgentDefinition, "ownModel"> {
  const { setting, effort } = read.map("ownModel") ?? {};
  if (typeof setting !== "string") return {};
  return { ownModel: { setting, ...(typeof effort === "string" ? { effort } : {}) } };
}

const parsed = (read: FieldReader, agent: AgentDefinition): ParsedAgent =>
  read.unusable ? { warnings: read.warnings } : { agent, warnings: read.warnings };

type Shared = Omit<AgentDefinition, "prompt" | "promptParts" | "sideEffects" | "gate" | "ownModel" | "role">;

function shared(read: FieldReader, { path, origin, stem }: AgentSource): Shared {
  const written = read.text("name") ?? stem;
  const name = normaliseName(written);
  if (name === "") read.refuse("name", expected("a name with letters or digits", written));
  const without = toolsOf(read, "disallowedTools");
  const github = githubOf(read);
  return {
    name,
    displayName: read.text("displayName") ?? written,
    description: escapeTags(read.description()),
    origin,
    path,
    models: modelsOf(read),
    tools: toolsOf(read, "tools") ?? allTools,
    caps: capsOf(read),
    skills: (read.list("skills") ?? []).map(normaliseName),
    mcpServers: read.map("mcp-servers") ?? {},
    userInvocable: read.flag("user-invocable", true),
    modelInvocable: !read.flag("disable-model-invocation", false),
    ...(without ? { without } : {}),
    ...(github ? { github } : {}),
  };
}

function promptOf(read: FieldReader, text: string): string {
  if (text.length === 0 || text.length > MAX_PROMPT)
    read.refuse("prompt", expected(`a text of 1 to ${MAX_PROMPT} characters`, `${text.length} characters`));
  return text;
}

/** A list that cannot be read must not become "all tools": the agent is then not used. */
function toolsOf(read: FieldReader, field: "tools" | "disallowedTools"): AgentTools | undefined {
  if (read.raw(field) === undefined) return undefined;
  const before = read.warnings.length;
  const list = read.list(field);
  if (!list) {
    read.warnings.length = before;
    return read.refuse(field, expected("a list, a text with commas or *", read.raw(field)));
  }
  const { tools, unknown } = parseTools(list);
  if (list.length > 0 && namesNothing(tools)) read.refuse(field, `none of these is a tool: ${unknown.join(", ")}.`);
  else if (unknown.length > 0) read.warn(field, `not a tool: ${unknown.join(", ")}.`);
  return tools;
}

function modelsOf(read: FieldReader): string[] {
  const models = read.list("model") ?? [];
  return models[0] === "inherit" ? [] : models;
}

function capsOf(read: FieldReader): AgentCaps {
  const caps = {
    maxSteps: read.positive("maxSteps", "maxTurns"),
    maxTokens: read.positive("maxTokens"),
    maxMinutes: read.positive("maxMinutes"),
  };
  return Object.fromEntries(Object.entries(caps).filter(([, cap]) => cap !== undefined));
}

function githubOf(read: FieldReader): AgentDefinition["github"] {
  const value = read.raw("github");
  if (value === undefined || value === false) return undefined;
  if (value === true) return true;
  if (!isRecord(value)) return read.warn("github", expected("true or {toolsets, tools}", value));
  const inner = new FieldReader("", value);
  const github = { toolsets: inner.list("toolsets") ?? [], tools: inner.list("tools") ?? [] };
  for (const { field, message } of inner.warnings) read.warn(`github.${field}`, message);
  return github;
}

const partsOf = (isOn: (name: string) => boolean): PromptParts =>
  Object.fromEntries(promptPartNames.map((name) => [name, isOn(name)])) as PromptParts;
