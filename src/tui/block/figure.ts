// Figures as blocks show them: tokens, durations, counts.
export const tokenText = (tokens: number): string => {
  if (tokens < 1000) return String(tokens);
  if (tokens < 9950) return `${(tokens / 1000).toFixed(1)}k`;
  return tokens < 999_500 ? `${Math.round(tokens / 1000)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
};

/** `40ms`, `1.4s`, `12s`, `3m 20s`, `1h 05m`. */
export function durationText(ms: number): string {
  if (ms < 995) return `${Math.round(ms)}ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}

export const countText = (count: number, word: string): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? word : word.replace(/(?<![aeiou])y$/, "ie").replace(/$/, "s")}`;

export const moneyText = (dollars: number): string => `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`;
