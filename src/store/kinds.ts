// Every stored thing has a kind: what it is the truth of, or what it can be made from again.

import { storeJournal } from "./journal/tables.ts";

type StorageKind = "truth" | "projection" | "cache" | "secret" | "copy";
export type StoredKind = {
  /** Path under home; `*` stands for one name, `**` for everything below. */
  path: string;
  kind: StorageKind;
  /** What it is made from when it is lost; "-": nothing else has it. */
  rebuiltFrom: string;
};

const LOGS = "sessions/*/events.jsonl";
const JOURNAL = "journal/*";

export const fileKinds: readonly StoredKind[] = [
  { path: LOGS, kind: "truth", rebuiltFrom: "-" },
  { path: "sessions/*/files/**", kind: "truth", rebuiltFrom: "-" },
  { path: "sessions/*/outputs/**", kind: "truth", rebuiltFrom: "-" },
  { path: "sessions/*/snapshots/**", kind: "truth", rebuiltFrom: "-" },
  { path: "sessions/*/research/**", kind: "truth", rebuiltFrom: "-" },
  { path: "sessions/*/plan.md", kind: "truth", rebuiltFrom: "-" },
  { path: "sessions/*/workspace.yaml", kind: "projection", rebuiltFrom: LOGS },
  { path: "sessions/*/resume.cache", kind: "cache", rebuiltFrom: LOGS },
  { path: "sessions/*/checkpoints/*", kind: "projection", rebuiltFrom: LOGS },
  { path: "sessions/*/journal/*", kind: "truth", rebuiltFrom: "-" },
  { path: "sessions/*/session.db", kind: "projection", rebuiltFrom: `${LOGS}, sessions/*/journal/*` },
  { path: "sessions/*/session.db-*", kind: "projection", rebuiltFrom: `${LOGS}, sessions/*/journal/*` },
  { path: "sessions/*/quarantine/*", kind: "copy", rebuiltFrom: "-" },
  { path: "sessions/*/mcp/*", kind: "cache", rebuiltFrom: "the next run of the servers" },
  { path: "sessions/*/control/*", kind: "cache", rebuiltFrom: "whoever asks next" },
  { path: "sessions/*/session.lock", kind: "cache", rebuiltFrom: "the process that runs the session" },
  { path: "sessions/*/session.lock.holder", kind: "cache", rebuiltFrom: "the process that runs the session" },
  { path: JOURNAL, kind: "truth", rebuiltFrom: "-" },
  { path: "store.db", kind: "projection", rebuiltFrom: `${LOGS}, ${JOURNAL}` },
  { path: "store.db-*", kind: "projection", rebuiltFrom: `${LOGS}, ${JOURNAL}` },
  { path: "store.db.new*", kind: "cache", rebuiltFrom: "the next rebuilding of store.db" },
  { path: "proxy/sessions/*/**", kind: "truth", rebuiltFrom: "-" },
  { path: "pending/*", kind: "truth", rebuiltFrom: "-" },
  { path: "settings.json", kind: "truth", rebuiltFrom: "-" },
  { path: "trust.json", kind: "truth", rebuiltFrom: "-" },
  { path: "consent.json", kind: "truth", rebuiltFrom: "-" },
  { path: "permissions.json", kind: "truth", rebuiltFrom: "-" },
  { path: "mcp.json", kind: "truth", rebuiltFrom: "-" },
  { path: "mcp-tools.json", kind: "truth", rebuiltFrom: "-" },
  { path: "models.json", kind: "truth", rebuiltFrom: "-" },
  { path: "AGENTS.md", kind: "truth", rebuiltFrom: "-" },
  { path: "agents/**", kind: "truth", rebuiltFrom: "-" },
  { path: "skills/**", kind: "truth", rebuiltFrom: "-" },
  { path: "hooks/**", kind: "truth", rebuiltFrom: "-" },
  { path: "commands/**", kind: "truth", rebuiltFrom: "-" },
  { path: "plugins/**", kind: "truth", rebuiltFrom: "-" },
  { path: "models/**", kind: "cache", rebuiltFrom: "where its tables were taken from" },
  { path: "cache/agents/*", kind: "cache", rebuiltFrom: "the next request to the catalogue of agents" },
  { path: "with/**", kind: "cache", rebuiltFrom: "the next launch" },
  { path: "gateway.json", kind: "cache", rebuiltFrom: "the gateway that runs" },
  { path: "gateway.signed-out.json", kind: "cache", rebuiltFrom: "the next sign-out" },
  { path: "gateway.token", kind: "secret", rebuiltFrom: "made anew" },
  { path: "secret.key", kind: "secret", rebuiltFrom: "made anew" },
  { path: "locks/*", kind: "cache", rebuiltFrom: "the processes that run" },
  { path: "import-offered", kind: "cache", rebuiltFrom: "the next first start" },
  { path: ".everlong-home", kind: "cache", rebuiltFrom: "made anew" },
  { path: "logs/**", kind: "cache", rebuiltFrom: "the next run" },
  { path: "quarantine/**", kind: "copy", rebuiltFrom: "-" },
  { path: "backups/**", kind: "copy", rebuiltFrom: "-" },
];

type TableKind = Omit<StoredKind, "path"> & {
  /** Copied from a damaged store.db: always, since nothing else has it, or where the journal lost it. */
  salvage?: "always" | "journal";
};

export const tableKinds: Readonly<Record<string, TableKind>> = {
  sessions: { kind: "projection", rebuiltFrom: LOGS },
  turns: { kind: "projection", rebuiltFrom: LOGS },
  checkpoints: { kind: "projection", rebuiltFrom: LOGS },
  session_files: { kind: "projection", rebuiltFrom: LOGS },
  session_refs: { kind: "projection", rebuiltFrom: LOGS },
  model_calls: { kind: "projection", rebuiltFrom: LOGS },
  session_progress: { kind: "projection", rebuiltFrom: LOGS },
  search_index: { kind: "cache", rebuiltFrom: LOGS },
  ...Object.fromEntries(
    ["scope", "place", "item", "passage", "terms", "vector", "waiting", "note"].map((name) => [
      `recall_${name}`,
      { kind: "cache", rebuiltFrom: LOGS } as const,
    ]),
  ),
  ...Object.fromEntries(
    Object.keys(storeJournal).map((name) => [
      name,
      { kind: "projection", rebuiltFrom: JOURNAL, salvage: "journal" } as const,
    ]),
  ),
  proxy_lane: { kind: "cache", rebuiltFrom: "the next request" },
  proxy_chain: { kind: "cache", rebuiltFrom: "the next request" },
  // Of the last days, for looking into; they come with every request, so they are not journalled.
  proxy_request: { kind: "cache", rebuiltFrom: "the next requests", salvage: "always" },
  // Sums that move with every request: what cannot be salvaged is counted from 0 again.
  proxy_total: { kind: "cache", rebuiltFrom: "the next requests", salvage: "always" },
  proxy_window: { kind: "cache", rebuiltFrom: "the next context error", salvage: "always" },
  // Figures of the last 30 days: what cannot be salvaged is missing from charts.
  observation: { kind: "cache", rebuiltFrom: "the next model calls and requests", salvage: "always" },
  graph_endpoint: { kind: "cache", rebuiltFrom: "the next deliveries" },
  graph_band: { kind: "projection", rebuiltFrom: "graph_alias" },
  memory_text: { kind: "projection", rebuiltFrom: "memories" },
  memory_generation: { kind: "cache", rebuiltFrom: "the next write" },
  token_calibration: { kind: "cache", rebuiltFrom: "the next model calls", salvage: "always" },
  // Without it files are read once more, and nothing in them is taken twice.
  import_file: { kind: "cache", rebuiltFrom: "the next import" },
  journal_state: { kind: "cache", rebuiltFrom: JOURNAL },
  journal_erasure: { kind: "cache", rebuiltFrom: JOURNAL },
  journal_mark: { kind: "cache", rebuiltFrom: JOURNAL },
  salvaged: { kind: "cache", rebuiltFrom: "the next rebuilding of store.db", salvage: "always" },
};

/** As atomic writes name the file that they rename: what a crash left of one is of use to nobody. */
const TEMPORARY = /(^|\/)(\.[^/]+\.[0-9a-f-]{8,12}\.tmp|gateway\.token\.[0-9a-f]{12})$/;

export const isTemporary = (path: string): boolean => TEMPORARY.test(path);

/** Whether a name directly under home is one that this program uses. */
export const isOwnName = (name: string): boolean =>
  isTemporary(name) || fileKinds.some((row) => fits(row.path.split("/")[0] ?? "", name));

/** The kind of a file by its path under home, with `/` between the names. */
export function kindOf(path: string): StoredKind | undefined {
  if (isTemporary(path)) return { path, kind: "cache", rebuiltFrom: "the next write" };
  return fileKinds.find((row) => matches(row.path.split("/"), path.split("/")));
}

function matches(pattern: readonly string[], names: readonly string[]): boolean {
  return pattern.every((part, i) => part === "**" || fits(part, names[i])) && extent(pattern, names);
}

function extent(pattern: readonly string[], names: readonly string[]): boolean {
  return pattern.at(-1) === "**" ? names.length >= pattern.length : names.length === pattern.length;
}

function fits(part: string, name: string | undefined): boolean {
  return name !== undefined && (part.endsWith("*") ? name.startsWith(part.slice(0, -1)) : part === name);
}
