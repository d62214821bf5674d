// The models we know: the built-in list, overridden by the user's models.json, and looking names up in it.
import { isRecord, parseJson } from "../base/json.ts";
import { nearNames } from "../base/text.ts";
import { type CatalogEntry, catalogEntry, type ProviderName, providerName } from "../schema/model.ts";
import { builtInCatalog } from "./catalog.data.ts";

export type ModelCatalog = readonly CatalogEntry[];

/** Merges the text of models.json, if there is one. Bad entries are warnings and leave the rest standing. */
export function loadCatalog(modelsJson?: string): { catalog: ModelCatalog; warnings: string[] } {
  if (modelsJson === undefined || modelsJson.trim() === "") return { catalog: builtInCatalog, warnings: [] };
  const parsed = parseJson(modelsJson.replace(/^\ufeff/, ""));
  if (!parsed.ok) return { catalog: builtInCatalog, warnings: ["models.json is not JSON: ignored"] };
  const list = isRecord(parsed.value) ? parsed.value["models"] : parsed.value;
  if (!Array.isArray(list)) {
    return { catalog: builtInCatalog, warnings: ['models.json must contain a list or {"models": […]}: ignored'] };
  }
  const byId = new Map(builtInCatalog.map((entry) => [entry.id, entry]));
  const warnings: string[] = [];
  list.forEach((raw: unknown, index) => {
    const read = readEntry(raw, byId);
    if (typeof read === "string") warnings.push(`models.json entry ${index + 1} ignored: ${read}`);
    else addEntry(byId, read);
  });
  return { catalog: [...byId.values()], warnings };
}

/** The entry, laid over the one it overrides, or why it is none. */
function readEntry(raw: unknown, entries: ReadonlyMap<string, CatalogEntry>): CatalogEntry | string {
  if (!isRecord(raw) || typeof raw["id"] !== "string") return "no id";
  const named = raw["provider"];
  const [prefix] = splitName(raw["id"]);
  if (prefix !== undefined && named !== undefined && named !== prefix && named !== "custom") {
    return `id ${raw["id"]} and provider ${String(named)} disagree`;
  }
  const provider = named ?? prefix;
  const whole = prefix === provider || raw["id"] === "offline" ? raw["id"] : `${String(provider)}/${raw["id"]}`;
  const read = catalogEntry.safeParse({ ...entries.get(whole), ...raw, id: whole, provider });
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  return `${raw["id"]}: ${issue?.path.join(".") || "entry"} ${issue?.message ?? "is not valid"}`;
}

/** A provider has one default: a new one takes the place of the old. */
function addEntry(byId: Map<string, CatalogEntry>, entry: CatalogEntry): void {
  if (entry.default === true) {
    for (const [id, other] of byId) {
      if (other.provider === entry.provider && other.default === true) byId.set(id, { ...other, default: false });
    }
  }
  byId.set(entry.id, entry);
}

/** `provider/name` taken apart; no provider when the prefix names none that we know. */
export function splitName(name: string): [provider: ProviderName | undefined, rest: string] {
  if (name === "offline") return ["offline", name];
  const slash = name.indexOf("/");
  const prefix = providerName.safeParse(name.slice(0, slash));
  return slash > 0 && prefix.success && prefix.data !== "offline"
    ? [prefix.data, name.slice(slash + 1)]
    : [undefined, name];
}

const bareName = (id: string): string => splitName(id)[1];
const DATED = /-(?:latest|20\d{6}|20\d\d-\d\d-\d\d)$/;

/** Finds `provider/name` or a bare name; a dated snapshot stands for the model it is a snapshot of. */
export function findModel(catalog: ModelCatalog, name: string): CatalogEntry | undefined {
  const exact = catalog.find((e) => e.id === name) ?? catalog.find((e) => bareName(e.id) === name);
  if (exact || !DATED.test(name)) return exact;
  return findModel(catalog, name.replace(DATED, ""));
}

export function defaultModel(catalog: ModelCatalog, provider: ProviderName): CatalogEntry | undefined {
  return (
    catalog.find((e) => e.provider === provider && e.default === true) ?? catalog.find((e) => e.provider === provider)
  );
}

/** Ids nearest to a name that we do not know, whether it was written with a provider or without. */
export function nearModels(catalog: ModelCatalog, name: string): string[] {
  if (name.includes("/"))
    return nearNames(
      name,
      catalog.map((e) => e.id),
    );
  const ids = new Map(catalog.map((e) => [bareName(e.id), e.id]));
  return nearNames(name, ids.keys()).map((bare) => ids.get(bare) ?? bare);
}
