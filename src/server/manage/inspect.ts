// Proxied requests for the dashboard: a list of all, and one with its items before and after, each with its mark.
import { optional } from "../../base/optional.ts";
import { fail, ok } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import type { RecordRow, RequestRecord } from "../../proxy/contract.ts";
import { itemByRef, textOf } from "../../proxy/store/list.ts";
import { findRequests, insertedTexts, requestById } from "../../proxy/store/records.ts";
import { type ProxySession, sessionById } from "../../proxy/store/session.ts";
import type { ItemMark, RequestDetail, RequestItem, RequestRow } from "../../schema/api/request.ts";
import type { ListPage, OperationOutcome, Paging } from "./contract.ts";
import type { ManageParts } from "./parts.ts";
import { unknownRequest } from "./records.ts";
import { sessionNamed } from "./session-named.ts";
import { whyNothing } from "./why-nothing.ts";

type RequestsQuery = Paging & { session?: string; family?: string; action?: string; q?: string };
type RequestInspection = {
  requests(query: RequestsQuery): OperationOutcome<ListPage<RequestRow>>;
  request(id: string): OperationOutcome<RequestDetail>;
};

/** So much of an item is shown; the rest is where it is stored. */
const BEGINNING = 2000;
const SNIPPET = 600;

export function requestInspection(parts: ManageParts & { redact(text: string): string }): RequestInspection {
  const { store } = parts;
  return {
    async requests({ session: id, family, action, q, ...page }) {
      const session = id === undefined ? ok(undefined) : await sessionNamed({ store }, id);
      if (!session.ok) return session;
      const words = q?.toLowerCase();
      const fits = (record: RequestRecord): boolean =>
        (family === undefined || record.family === family) &&
        (action === undefined || record.action === action || record.action.startsWith(`${action}:`)) &&
        (words === undefined || searchable(record).includes(words));
      const list = await findRequests(store, { ...page, fits, ...optional("session", session.value) });
      return list.ok ? ok({ items: list.value.records.map(rowOf), ...optional("next", list.value.next) }) : list;
    },
    async request(id) {
      const record = await requestById(store, id);
      if (!record.ok) return record;
      if (!record.value) return fail(unknownRequest(id));
      const { timings, attempts } = record.value;
      const session = await sessionById(store, record.value.session ?? "");
      const own = session.ok ? session.value : undefined;
      return ok({
        ...rowOf(record.value),
        items: await itemsOf(parts, record.value, own),
        injections: await injectionsOf(parts, record.value, own),
        snippets: await snippetsOf(parts, record.value),
        timings,
        attempts: [...attempts],
      });
    },
  };
}

const searchable = ({ id, session = "", family, model, path, action, upstream }: RequestRecord): string =>
  [id, session, family, model, path, action, upstream].join(" ").toLowerCase();

function rowOf(record: RequestRecord): RequestRow {
  const { items, inserted, recalled, attempts: _a, timings, dropped, ...row } = record;
  const spent = (...stages: string[]): number => stages.reduce((sum, stage) => sum + (timings[stage] ?? 0), 0);
  return {
    ...row,
    trimmed: dropped,
    injected: inserted ?? items.filter(({ action }) => action === "insert").length,
    recalled: recalled.length,
    addedMs: spent("read", "plan"),
    totalMs: spent(...Object.keys(timings)),
    ...optional("whyNothing", whyNothing(record)),
  };
}

const MARKS: Readonly<Record<RecordRow["action"], ItemMark>> = {
  keep: "kept",
  shorten: "shortened",
  drop: "trimmed",
  insert: "injected",
};

async function itemsOf(
  { store, redact }: Parameters<typeof requestInspection>[0],
  { items }: RequestRecord,
  session: ProxySession | undefined,
): Promise<RequestItem[]> {
  const views: RequestItem[] = [];
  for (const { at, role, kind, tokens, action, ref, own, text: ours } of items) {
    const content = own === undefined || !session ? ok(ours) : await textOf(store, session, own);
    const text = content.ok && content.value !== undefined ? redact(content.value) : undefined;
    views.push({
      ...{ role, kind, tokens, mark: MARKS[action] },
      ...optional("position", at),
      ...(ref !== undefined && session
        ? { stored: { session: session.id, ref: ref.slice(ref.lastIndexOf(":") + 1) } }
        : {}),
      ...(text === undefined ? {} : { text: clip(text, BEGINNING), clipped: text.length > BEGINNING }),
    });
  }
  return views;
}

const SOURCES: Readonly<Record<string, string>> = {
  recall: "quotes from memory, found by a search for the newest prompt",
  state: "pinned text, summary of what was cut, TODO and spec of this session",
  notice: "a note where items were taken out",
};

/** The texts of ours; one that an earlier request of the epoch had first is read from there. */
async function injectionsOf(
  { store, redact }: Parameters<typeof requestInspection>[0],
  record: RequestRecord,
  session: ProxySession | undefined,
): Promise<RequestDetail["injections"]> {
  const ours = record.items.filter(({ action, kind }) => action === "insert" && SOURCES[kind] !== undefined);
  const keyOf = ({ kind, anchor = "" }: RecordRow): string => `${kind} ${anchor}`;
  const again = ours.filter(({ text }) => text === undefined).map(keyOf);
  const texts =
    session && again.length > 0 ? await insertedTexts(store, session, record, new Set(again)) : ok(new Map());
  return ours.map((row) => {
    const text: string | undefined = row.text ?? (texts.ok ? texts.value.get(keyOf(row)) : undefined);
    return {
      block: row.kind as RequestDetail["injections"][number]["block"],
      source: SOURCES[row.kind] ?? "",
      tokens: row.tokens,
      ...(row.text === undefined ? { again: true } : {}),
      ...(text === undefined ? {} : { bytes: Buffer.byteLength(text), text: redact(text) }),
    };
  });
}

async function snippetsOf(
  { store, redact }: Parameters<typeof requestInspection>[0],
  { recalled }: RequestRecord,
): Promise<RequestDetail["snippets"]> {
  const views: RequestDetail["snippets"] = [];
  for (const { ref, score, parts } of recalled) {
    const item = await itemByRef(store, ref);
    const text = item.ok ? item.value?.text : undefined;
    views.push({
      ...{ ref, score },
      ...optional("session", item.ok ? item.value?.session : undefined),
      ...(parts ? { parts: { ...parts }, why: why(parts) } : {}),
      ...(text === undefined ? {} : { text: clip(redact(text), SNIPPET) }),
    });
  }
  return views;
}

const SIGNAL_WORDS: Readonly<Record<string, string>> = {
  plain: "the same words",
  stem: "the same words in other forms",
  ident: "the same names",
  gram: "parts of the same words",
  context: "a match beside it",
  vector: "a similar meaning",
  exact: "the exact phrase",
  role: "who said it",
  standing: "how well it is established",
  recency: "how recent it is",
  date: "the date asked for",
  echo: "an echo of the question",
};

/** The signals that weighed most. */
function why(parts: Readonly<Record<string, number>>): string {
  const most = Object.entries(parts)
    .filter(([, part]) => part > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 2)
    .map(([signal]) => SIGNAL_WORDS[signal] ?? signal);
  return most.length === 0 ? "it was the nearest there was" : `it has ${most.join(" and ")}`;
}
