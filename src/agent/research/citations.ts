// Whether a report's numbered citations lead somewhere.

/** `[3]`, `[^3]`, `[1, 4]`, `[2-5]`, also at the end of a word or as a link's text; not a checkbox. */
const CITATION = /\[\^?(\d{1,3}(?:\s*[,–-]\s*\^?\d{1,3})*)\]/g;
/** `[3] …`, `[^3]: …`, `3. …`, also as an item of a list. */
const SOURCE = /^\s*(?:[-*+]\s+)?(?:\[\^?(\d{1,3})\]:?|\*{0,2}(\d{1,3})[.)]\*{0,2})\s*\S/;
const FOOTNOTE = /^\s*\[\^(\d{1,3})\]:\s*\S/;
const CODE = /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`/g;
const MAX_RANGE = 100;
const MAX_NAMED = 20;

/** What is missing, each as a phrase; empty when every citation has its source and the gaps are named. */
export function citationProblems(report: string): string[] {
  const cited = new Set<number>();
  const sources = new Set<number>();
  let [inSources, hasSources, hasGaps] = [false, false, false];
  for (const line of report.replace(CODE, " ").split("\n")) {
    const heading = /^#{1,6}\s+(.*)|^\*\*([^*]+)\*\*:?\s*$/.exec(line);
    if (heading) {
      const title = heading[1] ?? heading[2] ?? "";
      inSources = /\b(sources|references|citations|bibliography)\b/i.test(title) && !/\bunreach/i.test(title);
      hasSources ||= inSources;
      hasGaps ||= /\b(gaps?|open questions|limitations|unknowns?)\b/i.test(title);
      continue;
    }
    const source = (inSources ? SOURCE : FOOTNOTE).exec(line);
    if (source) sources.add(Number(source[1] ?? source[2]));
    else for (const [, numbers = ""] of line.matchAll(CITATION)) for (const n of expand(numbers)) cited.add(n);
  }
  const missing = [...cited].filter((n) => !sources.has(n)).sort((a, b) => a - b);
  return [
    cited.size === 0 ? "no claim has a numbered citation such as [1]" : "",
    hasSources || sources.size > 0 ? "" : 'there is no section "Sources"',
    missing.length > 0
      ? `these citations have no entry under Sources: ${missing
          .slice(0, MAX_NAMED)
          .map((n) => `[${n}]`)
          .join(" ")}${missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : ""}`
      : "",
    hasGaps ? "" : 'there is no section "Gaps"',
  ].filter(Boolean);
}

function expand(numbers: string): number[] {
  return numbers.split(",").flatMap((part) => {
    const [from = 0, to = from] = part.split(/[–-]/).map((n) => Number(n.replace("^", "")));
    return to >= from && to - from <= MAX_RANGE
      ? Array.from({ length: to - from + 1 }, (_, i) => from + i)
      : [from, to];
  });
}
