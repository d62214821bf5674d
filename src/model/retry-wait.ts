// How long to wait before the next attempt: what the server asked for, else a growing pause.

/** The wait that the server asked for in milliseconds; undefined when it asked for none that makes sense. */
export function askedWaitMs(
  headers: Readonly<Record<string, string>>,
  body: string,
  nowMs: number,
): number | undefined {
  const ms = plainNumber(headers["retry-after-ms"]);
  if (ms !== undefined) return ms;
  const after = headers["retry-after"];
  const seconds = plainNumber(after);
  if (seconds !== undefined) return seconds * 1000;
  if (after !== undefined && /GMT$/i.test(after.trim())) {
    // The server's own clock when it tells it: ours may differ.
    const now = Date.parse(headers["date"] ?? "");
    const wait = Date.parse(after) - (Number.isNaN(now) ? nowMs : now);
    if (!Number.isNaN(wait)) return Math.max(0, wait);
  }
  const info = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  if (info !== undefined) return Number(info) * 1000;
  return durationMs(/(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?\s*[a-z]+\s*)+)/i.exec(body)?.[1] ?? "");
}

function plainNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, s: 1000, h: 3_600_000, d: 86_400_000 };

/** `6m0s`, `250ms`, `20 seconds`, `1 minute`. */
function durationMs(text: string): number | undefined {
  let total: number | undefined;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const ms = /^(?:ms|milli)/i.test(unit) ? 1 : UNIT_MS[unit.charAt(0).toLowerCase()];
    if (ms !== undefined) total = (total ?? 0) + Number(amount) * ms;
  }
  return total;
}

type Backoff = { attempt: number; rateLimited: boolean; baseMs: number; maxMs: number; random: () => number };

/** Five times the base for a rate limit and once otherwise, doubling, plus up to a quarter by chance, at most the cap. */
export function backoffMs({ attempt, rateLimited, baseMs, maxMs, random }: Backoff): number {
  const pause = baseMs * (rateLimited ? 5 : 1) * 2 ** (attempt - 1);
  return Math.min(maxMs, Math.round(pause * (1 + 0.25 * random())));
}
