// The catalogue of agents: every definition that can be found, which one wins a name, and what is wrong with the rest.
import { basename, join } from "node:path";
import { entriesOf } from "../../permission/project-files.ts";
import { normaliseName } from "../file/name.ts";
import { type Folder, type Grounds, pluginFolders, projectFolders } from "../file/places.ts";
import { type Document, parseYaml, readDocument } from "../file/read.ts";
import type { FileWarning } from "../file/warning.ts";
import { type AgentDefinition, RESERVED } from "./definition.ts";
import { type ParsedAgent, parseBuiltinAgent, parseCustomAgent } from "./parse-agent.ts";

export type CatalogOptions = Grounds & {
  /** catalog/builtin.ts; the text of each file by its name. */
  builtins: Readonly<Record<string, string>>;
  /** Given by an embedding client: they win over every file. */
  client?: readonly Document[];
  /** Those of the remote catalogue (catalog/remote.ts): they win over the built-ins only. */
  remote?: readonly ParsedAgent[];
  /** Whether the setting that gates an agent is on. */
  isOn: (gate: string) => boolean;
};

export type AgentCatalog = {
  /** One of each name, sorted by it. */
  agents: readonly AgentDefinition[];
  /** They lost their name to another. */
  shadowed: readonly { agent: AgentDefinition; by: AgentDefinition }[];
  warnings: readonly FileWarning[];
};

const PROJECT = [".everlong/agents", ".github/agents", ".claude/agents"];

export async function loadCatalog(options: CatalogOptions): Promise<AgentCatalog> {
  const parsed: ParsedAgent[] = [
    ...(options.client ?? []).map((document, i) => {
      const source = { path: `agent ${i + 1} of the client`, origin: "client", stem: "" } as const;
      return parseCustomAgent(source, document);
    }),
    ...(await fromFiles(options)),
    ...(options.remote ?? []),
    ...(await fromBuiltins(options)),
  ];
  const warnings = parsed.flatMap((one) => one.warnings);
  const winners = new Map<string, AgentDefinition>();
  const shadowed: { agent: AgentDefinition; by: AgentDefinition }[] = [];
  for (const { agent } of parsed) {
    if (!agent) continue;
    const by = winners.get(agent.name);
    if (agent.origin !== "builtin" && RESERVED.includes(agent.name)) {
      warnings.push({ path: agent.path, field: "name", message: `${agent.name} cannot be replaced.`, skipped: true });
    } else if (by) shadowed.push({ agent, by });
    else winners.set(agent.name, agent);
  }
  return { agents: [...winners.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), shadowed, warnings };
}

async function fromFiles(options: CatalogOptions): Promise<ParsedAgent[]> {
  const { everlongHome } = options;
  const folders: Folder[] = [
    ...projectFolders(options, PROJECT),
    { path: join(everlongHome, "agents"), layer: "user" },
    ...pluginFolders(everlongHome, "agents"),
  ];
  const parsed: ParsedAgent[] = [];
  for (const folder of folders)
    for (const { name } of entriesOf(folder.path))
      if (name.endsWith(".md")) parsed.push(await fromFile({ ...folder, path: join(folder.path, name) }, options));
  return parsed;
}

async function fromFile(file: Folder, { trust }: Grounds): Promise<ParsedAgent> {
  const { document, warnings } = await readDocument(file, trust);
  if (!document) return { warnings };
  const stem = basename(file.path).replace(/(\.agent)?\.md$/, "");
  return parseCustomAgent({ path: file.path, origin: file.layer, stem }, document);
}

async function fromBuiltins({ builtins, isOn }: CatalogOptions): Promise<ParsedAgent[]> {
  const parsed: ParsedAgent[] = [];
  for (const [path, text] of Object.entries(builtins)) {
    const fields = await parseYaml(text);
    if (!fields.ok) throw new Error(`${path}: ${fields.error}`); // our own file
    const one = parseBuiltinAgent({ path, origin: "builtin", stem: path.replace(/\..*$/, "") }, fields.value);
    const { gate } = one.agent ?? {};
    if (gate === undefined || isOn(gate)) parsed.push(one);
  }
  return parsed;
}

/** Names are compared in their normal form. */
export function findAgent(catalog: AgentCatalog, name: string): AgentDefinition | undefined {
  const wanted = normaliseName(name);
  return catalog.agents.find((agent) => agent.name === wanted);
}
