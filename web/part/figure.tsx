// Numbers, sizes and times as people read them.
const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value: number): string => whole.format(value);
/** 43k, 1.2M; small ones in full. */
export const compact = (value: number): string =>
  Math.abs(value) < 1000 ? whole.format(Math.round(value)) : short.format(value).replace("K", "k");
export const signed = (value: number): string => (value > 0 ? `+${compact(value)}` : compact(value).replace("-", "−"));
export const percent = (value: number): string => `${Math.round(value * 100)} %`;
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let size = value / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

export function duration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}
