// The secret filter: what looks like a credential is replaced by a mark before text is stored, sent, exported or logged.
import { createHmac } from "node:crypto";
import { isRecord } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { scan } from "./scan.ts";
import { joined, type SecretSpan } from "./span.ts";

declare const filtered: unique symbol;
/** Text that went through the filter; only this file makes it, so a store that asks for it cannot be given anything else. */
export type FilteredText = string & { readonly [filtered]: true };
/** Where a credential stood in the text that was given, and the rule that found it. */
type Finding = { rule: string; start: number; end: number };
export type Filtered = { text: FilteredText; findings: Finding[] };

/** Never throws. What could not be filtered comes back as one mark for the whole. */
export type SecretFilter = (text: string) => FilteredText;

export type Redactor = {
  text(text: string): Result<Filtered, "filter_failed">;
  /** The fields of one call: a secret split over neighbours is found too, and redacted in each field it touches. */
  fields<K extends string>(fields: Readonly<Record<K, string>>): Result<Record<K, Filtered>, "filter_failed">;
};

const CHUNK = 100_000;
const MAX_MS_PER_CHUNK = 200;
/** A mark can free what ran into the secret it replaced, so marked text is read again. */
const PASSES = 3;

/** A machine that stood still is no fault of the filter, so the processor's time decides; it is dear to ask for. */
type FilterClocks = { wallMs: () => number; processorMs: () => number };
const systemClocks: FilterClocks = {
  wallMs: () => performance.now(),
  processorMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * Marks are `[redacted:<kind>:<8 hex>]`, equal for equal values, keyed so that they tell nothing about the value.
 * `secrets` are values that must never appear whatever they look like: configured keys and credentials.
 */
export function secretRedactor(key: string, secrets: Iterable<string> = [], clocks = systemClocks): Redactor {
  const literals = [...secrets].filter((v) => v.length >= 8).sort((a, b) => b.length - a.length);
  const mark = (kind: string, value: string): string => `[redacted:${kind}:${keyed(key, value)}]`;

  const settle = (text: string, first: readonly SecretSpan[]): Filtered => {
    let clean = text;
    let edits: Edit[] = [];
    let spans = first;
    for (let pass = 1; spans.length > 0; pass++) {
      const marks = spans.map(({ kind, start, end }) => mark(kind, clean.slice(start, end)));
      const marked = inOriginal(spans, edits).map((s, i) => ({ ...s, length: marks[i]?.length ?? 0 }));
      edits = [...edits, ...marked].sort((a, b) => a.start - b.start);
      clean = withMarks(clean, spans, marks);
      spans = pass < PASSES ? scan(clean, literals) : [];
    }
    return { text: clean as FilteredText, findings: edits.map(({ kind, start, end }) => ({ rule: kind, start, end })) };
  };

  /** Fails closed: an error or a slow text gives no text at all. */
  const guarded = <T>(texts: readonly string[], work: () => T): Result<T, "filter_failed"> => {
    try {
      const chars = texts.reduce((sum, { length }) => sum + length, 0);
      const most = MAX_MS_PER_CHUNK * Math.max(1, Math.ceil(chars / CHUNK));
      const began = clocks.wallMs();
      const value = work();
      if (clocks.wallMs() - began <= most) return ok(value);
      // Only a text that seemed slow is measured by the processor's time, in a second run.
      const start = clocks.processorMs();
      work();
      return clocks.processorMs() - start > most ? fail("filter_failed") : ok(value);
    } catch {
      return fail("filter_failed"); // the error may quote the text: only the code goes on
    }
  };

  return {
    text: (text) => guarded([text], () => settle(text, scan(text, literals))),
    fields: <K extends string>(fields: Readonly<Record<K, string>>) => {
      const names = Object.keys(fields) as K[];
      const texts = names.map((name) => fields[name]);
      return guarded(texts, () => {
        const spans = spansOfFields(texts, literals);
        const cleaned = names.map((name, i) => [name, settle(fields[name], spans[i] ?? [])] as const);
        return Object.fromEntries(cleaned) as Record<K, Filtered>;
      });
    },
  };
}

export function secretFilter(key: string, secrets: Iterable<string> = []): SecretFilter {
  const redactor = secretRedactor(key, secrets);
  const failed = `[redacted:filter-failed:${keyed(key, "")}]`;
  return (text) => {
    const result = redactor.text(text);
    return result.ok ? result.value.text : (failed as FilteredText);
  };
}

/** Every text in a value filtered once more, for showing it: a rule that is newer than a row covers it too. */
export function filteredValue<T>(redact: (text: string) => string, value: T): T {
  const clean = (part: unknown): unknown => {
    if (typeof part === "string") return redact(part);
    if (Array.isArray(part)) return part.map(clean);
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, clean(inner)]));
  };
  return clean(value) as T;
}

const keyed = (key: string, value: string): string => createHmac("sha256", key).update(value).digest("hex").slice(0, 8);

function withMarks(text: string, spans: readonly SecretSpan[], marks: readonly string[]): string {
  let from = 0;
  const pieces = spans.map(({ start, end }, i) => {
    const piece = text.slice(from, start) + (marks[i] ?? "");
    from = end;
    return piece;
  });
  return pieces.join("") + text.slice(from);
}

type Edit = SecretSpan & { /** The length of the mark that stands for the span. */ length: number };

/** Spans of the marked text as spans of the original: each mark before them stands for what it replaced. */
function inOriginal(spans: readonly SecretSpan[], edits: readonly Edit[]): SecretSpan[] {
  let shift = 0;
  let next = 0;
  return spans.map(({ kind, start, end }) => {
    for (let edit = edits[next]; edit && edit.start - shift < start; edit = edits[++next]) {
      shift += edit.end - edit.start - edit.length;
    }
    return { kind, start: start + shift, end: end + shift };
  });
}

function spansOfFields(texts: readonly string[], secrets: readonly string[]): SecretSpan[][] {
  const own = texts.map((text) => scan(text, secrets));
  let from = 0;
  const starts = texts.map((text) => {
    const start = from;
    from += text.length;
    return start;
  });
  const alone = own.flatMap((spans, i) => spans.map((s) => moved(s, starts[i] ?? 0)));
  const spanning = scan(texts.join(""), secrets).filter(
    (s) =>
      starts.some((at) => s.start < at && at < s.end) &&
      (s.kind === "private-key" || !alone.some((a) => a.start < s.end && s.start < a.end)),
  );
  return own.map((spans, i) => {
    const start = starts[i] ?? 0;
    const end = start + (texts[i]?.length ?? 0);
    const pieces = spanning
      .filter((s) => s.start < end && start < s.end)
      .map((s) => moved({ ...s, start: Math.max(s.start, start), end: Math.min(s.end, end) }, -start));
    return joined([...spans, ...pieces]);
  });
}

const moved = ({ kind, start, end }: SecretSpan, by: number): SecretSpan => ({
  kind,
  start: start + by,
  end: end + by,
});
