// A found credential: where it stands, and of what kind it is.
export type SecretSpan = { kind: string; start: number; end: number };

/** Spans in order, those that overlap joined; the first found of two that overlap names the kind. */
export function joined(spans: readonly SecretSpan[]): SecretSpan[] {
  const out: (SecretSpan & { rank: number })[] = [];
  for (const span of spans.map((s, rank) => ({ ...s, rank })).sort((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (!last || span.start >= last.end) out.push(span);
    else {
      if (span.rank < last.rank) Object.assign(last, { kind: span.kind, rank: span.rank });
      last.end = Math.max(last.end, span.end);
    }
  }
  return out.map(({ kind, start, end }) => ({ kind, start, end }));
}

/** The spans that touch none of the others; both in order. */
export function apart(spans: readonly SecretSpan[], others: readonly { start: number; end: number }[]): SecretSpan[] {
  let next = 0;
  return spans.filter(({ start, end }) => {
    while ((others[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    return (others[next]?.start ?? Number.POSITIVE_INFINITY) >= end;
  });
}
