// What most panels show: rows of which one is picked, or a text to scroll in. Both are data; a row says what picking it does.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { PanelAction } from "./contract.ts";

export type PickerRow = {
  label: string;
  detail: string;
  does: PanelAction<PanelPage>;
};

export type PickerPage = {
  type: "rows";
  title: string;
  rows: readonly PickerRow[];
  /** Shown instead of rows. */
  empty: string;
  /** What was typed: only rows that hold all of its words are offered. */
  query: string;
  /** Which of the offered ones is chosen. */
  at: number;
  /** Esc goes there; without it, Esc closes. */
  back?: PanelPage;
};

export type TextPage = {
  type: "text";
  title: string;
  text: string;
  /** The first line on the screen. */
  top: number;
  /** How many lines it had when it was drawn last: keys move by what is on the screen. */
  height: number;
  /** Keys of its own, with a word for the foot. */
  keys: Readonly<Record<string, { help: string; does: PanelAction<PanelPage> }>>;
  back?: PanelPage;
};

export type PanelPage = PickerPage | TextPage;

export type PageResult = Promise<Result<PanelPage, Failure>>;

export const pickerPage = (title: string, rows: readonly PickerRow[], empty = "Nothing here yet."): PickerPage => ({
  type: "rows",
  title,
  rows,
  empty,
  query: "",
  at: 0,
});

export const textPage = (title: string, text: string, keys: TextPage["keys"] = {}): TextPage => ({
  type: "text",
  title,
  text,
  top: 0,
  height: 0,
  keys,
});

/** The harmless answer comes first. */
export const confirmPage = (question: string, line: string): PickerPage =>
  pickerPage(question, [
    { label: "no", detail: "keep it", does: { type: "close" } },
    { label: "yes", detail: line, does: { type: "run", line, afterwards: "reload" } },
  ]);

/** Read again: the place and the words typed stay; a step further in ends, because what it was about may be gone. */
export function pageAgain(fresh: PanelPage, before: PanelPage | undefined): PanelPage {
  const first = before && firstPage(before);
  if (fresh.type === "rows" && first?.type === "rows")
    return { ...fresh, query: first.query, at: Math.min(first.at, Math.max(0, fresh.rows.length - 1)) };
  if (fresh.type === "text" && first?.type === "text") return { ...fresh, top: first.top };
  return fresh;
}

const firstPage = (page: PanelPage): PanelPage => (page.back ? firstPage(page.back) : page);
