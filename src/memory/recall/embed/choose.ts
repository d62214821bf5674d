// Which embedder a store uses: the choice is kept, so that a stopped server does not change the vectors of everything.
import { isLoopback } from "../../../base/address.ts";
import { isRecord } from "../../../base/json.ts";
import { type FetchJson, fetchJson } from "../../../model/resolve-fetch.ts";
import type { Embedder } from "./contract.ts";
import { ollamaEmbedder, openaiEmbedder } from "./remote.ts";
import { staticEmbedder } from "./static.ts";

export type EmbedderSettings = {
  embedder: "auto" | "none" | "static" | "ollama" | "openai";
  ollama: { baseUrl: string; model: string };
  openai?: { baseUrl: string; model: string; apiKey?: string };
  /** Folders that may hold a static table, the first that does counts. */
  staticDirs: readonly string[];
  /** Whether text may be sent there now; asked before every call of an address that is not this machine. */
  mayCall: (origin: string) => boolean | Promise<boolean>;
  /** Whether, under `auto`, a store without a choice may make one, which asks this machine for its Ollama. */
  mayChoose?: boolean;
  fetch?: FetchJson;
};
type EmbedderChoice = {
  name: Name;
  embedder?: Embedder;
  /** Where it sends texts, when that is not this machine. */
  origin?: string;
  /** What was not possible, and why. */
  notes: string[];
};

/** Nobody waits for it: a search goes on without. */
const PROBE_MS = 2_000;
type Name = "none" | "static" | "ollama" | "openai";

/** `earlier` is the choice of an earlier run under `auto`. */
export async function chooseEmbedder(settings: EmbedderSettings, earlier?: string): Promise<EmbedderChoice> {
  if (settings.embedder !== "auto") return embedderNamed(settings.embedder, settings);
  if (earlier === "ollama" || earlier === "static" || earlier === "none") return embedderNamed(earlier, settings);
  const { baseUrl, model } = settings.ollama;
  if (isLoopback(baseUrl) && (await hasModel(baseUrl, model, settings.fetch ?? fetchJson)))
    return embedderNamed("ollama", settings);
  const local = await embedderNamed("static", settings);
  return local.embedder ? local : { name: "none", notes: local.notes };
}

async function embedderNamed(name: Name, settings: EmbedderSettings): Promise<EmbedderChoice> {
  if (name === "none") return { name, notes: [] };
  if (name === "static") {
    const notes: string[] = [];
    for (const dir of settings.staticDirs) {
      const table = staticEmbedder(dir);
      if (table.ok) return { name, embedder: table.value, notes };
      notes.push(`${dir}: ${table.error}`);
    }
    return { name, notes };
  }
  const remote = name === "ollama" ? settings.ollama : settings.openai;
  if (!remote) return { name, notes: ["recall.openai.baseUrl and .model are not set"] };
  if (!URL.canParse(remote.baseUrl)) return { name, notes: [`${remote.baseUrl} is no address`] };
  const { origin } = new URL(remote.baseUrl);
  const options = { ...remote, ...(settings.fetch ? { fetch: settings.fetch } : {}) };
  const embedder = name === "ollama" ? ollamaEmbedder(options) : openaiEmbedder(options);
  if (isLoopback(remote.baseUrl)) return { name, embedder, notes: [] };
  const mayCall = () => settings.mayCall(origin);
  if (!(await mayCall())) return { name, notes: [refused(origin)] };
  return { name, origin, embedder: whileAllowed(embedder, mayCall, refused(origin)), notes: [] };
}

const refused = (origin: string): string =>
  `${origin} is not this machine, and text goes there only from a trusted folder and after \`everlong consent grant ${origin}\``;

/** A consent that is taken back counts from the next call on. */
export const whileAllowed = (
  embedder: Embedder,
  mayCall: () => boolean | Promise<boolean>,
  message: string,
): Embedder => ({
  id: embedder.id,
  get dims() {
    return embedder.dims;
  },
  async embed(...request) {
    if (await mayCall()) return embedder.embed(...request);
    return { ok: false, error: { type: "unavailable", message } };
  },
});

async function hasModel(baseUrl: string, model: string, fetch: FetchJson): Promise<boolean> {
  const tags = await fetch(`${baseUrl.replace(/\/+$/, "")}/api/tags`, { timeoutMs: PROBE_MS });
  const models = tags.ok && isRecord(tags.value) ? tags.value["models"] : undefined;
  const names = Array.isArray(models) ? models.filter(isRecord).map((m) => String(m["name"])) : [];
  return names.some((name) => name === model || name === `${model}:latest`);
}
