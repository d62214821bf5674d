// Records as lines of a memory file. What a line holds beside is kept; what it claims is believed no further than a file is.
import { isRecord, parseJson } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { readCitation, splitCitations } from "../record/citation.ts";
import type {
  Author,
  FactOrigin,
  MemoryRecord,
  NotFound,
  OriginKind,
  RecordChange,
  RecordDraft,
  Source,
  Status,
} from "../record/contract.ts";
import { factHash, fold, length } from "../record/fold.ts";
import { readId } from "../record/id.ts";
import { BOUNDS } from "../record/read-input.ts";
import { TRUST, trustOf } from "../record/trust.ts";
import { filteredValue, type Redactor, type SecretFilter } from "../secret/filter.ts";
import { type MemoryFileLine, readLine } from "./lines.ts";

/** A line that breaks a bound, or on which the filter fails, is no record: undefined. */
export function recordOfLine(
  { id, at, value }: MemoryFileLine,
  repository: string,
  redactor: Redactor,
): MemoryRecord | undefined {
  const citations = value["citations"];
  const list = Array.isArray(citations) ? citations.filter((one) => typeof one === "string") : citations;
  const raws = typeof list === "string" || Array.isArray(list) ? splitCitations(list).filter(Boolean) : [];
  const texts = { subject: textOf(value["subject"]), fact: textOf(value["fact"]), reason: textOf(value["reason"]) };
  const cited = Object.fromEntries(raws.map((raw, i) => [`citation ${i}`, raw]));
  const clean = redactor.fields<string>({ ...texts, ...cited });
  if (!clean.ok || raws.length > BOUNDS.citations || raws.some((raw) => length(raw) > BOUNDS.citation))
    return undefined;
  if ((["subject", "fact", "reason"] as const).some((name) => length(texts[name]) > BOUNDS[name])) return undefined;
  const createdAt = typeof value["createdAt"] === "string" ? value["createdAt"] : at;
  return {
    id,
    subject: clean.value["subject"]?.text || "general",
    fact: clean.value["fact"]?.text ?? "",
    citations: raws.flatMap((_, i) => clean.value[`citation ${i}`] ?? []).map(({ text }) => readCitation(text)),
    reason: clean.value["reason"]?.text ?? "",
    scope: "repository",
    repository,
    source: sourceOf(value["source"]),
    author: authorOf(value["author"]),
    createdAt: createdAt || EPOCH,
    updatedAt: at || createdAt || EPOCH,
    version: typeof value["version"] === "number" && value["version"] >= 1 ? Math.floor(value["version"]) : 1,
    votes: { up: 0, down: 0, mine: null, disputed: false },
    lastVerifiedAt: null,
    verification: "unverified",
    status: statusOf(value),
    recalls: { count: 0, lastAt: null },
  };
}

/** A line that does not say when it was written is older than all that do. */
export const EPOCH = "1970-01-01T00:00:00.000Z";

export function lineOfDraft(draft: RecordDraft, now: string): MemoryFileLine {
  return lineOf({
    id: draft.id,
    subject: draft.subject,
    fact: draft.fact,
    citations: draft.citations.map(({ raw }) => raw),
    reason: draft.reason,
    source: draft.source,
    author: draft.author,
    createdAt: now,
    updatedAt: now,
    version: 1,
    ...(draft.status === "pending" ? { status: "pending" } : {}),
  });
}

/** A line, and the record that it says. */
export type FileEntry = { line: MemoryFileLine; record: MemoryRecord };

/** The entry is named by its id, or by the beginning of an id of ours. */
export function oneOf(entries: readonly FileEntry[], id: string): { type: "one"; entry: FileEntry } | NotFound {
  const start = readId(id)?.id;
  const exact = entries.find(({ record }) => record.id === id);
  const matches = exact ? [exact] : entries.filter(({ record }) => start !== undefined && record.id.startsWith(start));
  const [entry] = matches;
  if (entry && matches.length === 1) return { type: "one", entry };
  return { type: "not_found", ...(entry ? { ambiguous: matches.map(({ record }) => record.id) } : {}) };
}

type LineChange = RecordChange & { status?: Status };

/**
 * The line with these fields changed, all others as they were. It is kept in EVERLONG_HOME until it is in the file, so its
 * texts are those of the record, which is filtered, and what else it holds is filtered here.
 */
export function changedLine(
  { line, record }: FileEntry,
  change: LineChange,
  { now, redact }: { now: string; redact: SecretFilter },
): MemoryFileLine {
  const { subject, fact, reason, citations, status } = { ...record, ...change };
  const { id, replaces: _replaces, status: _status, supersededBy: _by, ...rest } = line.value;
  const others = withoutSecrets({ ...rest, subject, fact, reason, citations: [] }, redact);
  const { trust } = change;
  return lineOf({
    id,
    ...others,
    ...(line.replaces.length > 0 ? { replaces: line.replaces } : {}),
    subject,
    fact,
    citations: citations.map(({ raw }) => raw),
    reason,
    ...(status.type === "active" ? {} : { status: status.type }),
    ...(status.type === "superseded" ? { supersededBy: status.by } : {}),
    ...(trust === undefined ? {} : { source: { ...(isRecord(others["source"]) ? others["source"] : {}), trust } }),
    updatedAt: later(line.at, now),
    version: record.version + 1,
  });
}

/** As one text, where a name tells that its value is a secret; then each text by itself. */
function withoutSecrets(value: Record<string, unknown>, redact: SecretFilter): Record<string, unknown> {
  const parsed = parseJson(redact(JSON.stringify(value)));
  return filteredValue(redact, parsed.ok && isRecord(parsed.value) ? parsed.value : value);
}

/** Nothing of the text is left; the hash, salted by the id, still knows the fact. */
export function deletedLine({ line, record }: FileEntry, { now }: { now: string }): MemoryFileLine {
  return lineOf({
    id: line.id,
    deleted: true,
    updatedAt: later(line.at, now),
    factHash: factHash(line.id, record.fact),
  });
}

export const knowsFact = (line: MemoryFileLine, fact: string): boolean =>
  line.gone && line.value["factHash"] === factHash(line.id, fact);

/** A change is younger than what it changes, whatever the clock says. */
export const later = (than: string, now: string): string =>
  now > than ? now : new Date(Date.parse(than) + 1).toISOString();

export function lineOf(value: Record<string, unknown>): MemoryFileLine {
  const line = readLine(JSON.stringify(value));
  if (!line) throw new TypeError("a line of our own cannot be read");
  return line;
}

const textOf = (value: unknown): string => (typeof value === "string" ? fold(value) : "");

const KINDS = new Set<string>(Object.keys(TRUST));

function sourceOf(value: unknown): Source {
  const fields = isRecord(value) ? value : {};
  const origins = (Array.isArray(fields["origins"]) ? fields["origins"] : []).flatMap((one): FactOrigin[] =>
    isRecord(one) && KINDS.has(String(one["kind"])) ? [{ kind: one["kind"] as OriginKind, ...idOf(one, "ref") }] : [],
  );
  const trust = typeof fields["trust"] === "number" && fields["trust"] >= 0 ? fields["trust"] : trustOf(origins);
  return {
    ...idOf(fields, "sessionId"),
    ...idOf(fields, "turnId"),
    ...idOf(fields, "toolCallId"),
    ...idOf(fields, "agentId"),
    ...idOf(fields, "model"),
    client: typeof fields["client"] === "string" ? fields["client"] : "file",
    origins: origins.length > 0 ? origins : [{ kind: "file" }],
    trust: Math.min(trust, TRUST.file),
  };
}

const idOf = <K extends string>(value: Record<string, unknown>, name: K): { [P in K]?: string } =>
  optional(name, typeof value[name] === "string" ? value[name] : undefined);

function authorOf(value: unknown): Author {
  const fields = isRecord(value) ? value : {};
  const { kind, id, name } = fields;
  const authorKind = kind === "user" || kind === "agent" ? kind : "import";
  return { kind: authorKind, id: typeof id === "string" ? id : "file", name: typeof name === "string" ? name : "file" };
}

function statusOf({ status, supersededBy: by }: MemoryFileLine["value"]): Status {
  if (status === "superseded" && typeof by === "string") return { type: "superseded", by };
  return { type: status === "pending" ? "pending" : "active" };
}
