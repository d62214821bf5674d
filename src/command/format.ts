// How lists, numbers and foreign texts are printed.
import { clip, visible } from "../base/text.ts";

/** What somebody said, where one line is meant for it: it cannot break the list or speak to the terminal. */
export const onOneLine = (text: string, max = 500): string => visible(clip(text.replace(/\s+/g, " ").trim(), max));

/** Rows as aligned columns, two spaces between them. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export const grouped = (value: number): string => Math.round(value).toLocaleString("en-US");

/** `2025-01-31 12:30`, in UTC as it is stored. */
export const minute = (iso: string): string => iso.slice(0, 16).replace("T", " ");

export const counted = (count: number, word: string): string => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;

/** `12 bytes`, `3.4 MB`: in powers of 1,000, as disks are sold. */
export function byteSize(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
