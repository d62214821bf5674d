// What most panels show: rows of which one is picked, or a text to scroll in. Both are data; a row says what picking it does.
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import type { PanelAction } from "./contract.ts";

export type PickerRow = {
  label: string;
  detail: string;
  /** Stands behind the label, and is asked for only when the row is on the screen: for what costs reading. */
  more?: () => string;
  does: PanelAction<PanelPage>;
  /** What the page's own keys do with it; those it lacks do nothing. */
  keys?: Readonly<Record<string, PanelAction<PanelPage>>>;
};

export type PickerPage = {
  type: "rows";
  title: string;
  /** A line under the title that cannot be picked. */
  note?: string;
  rows: readonly PickerRow[];
  /** Shown instead of rows. */
  empty: string;
  /** What was typed: only rows that hold all of its words are offered. */
  query: string;
  /** Which of the offered ones is chosen. */
  at: number;
  /** Letters that act on the chosen row, with a word for the foot; then `/` begins a search. */
  keys?: Readonly<Record<string, string>>;
  isSearching?: boolean;
  /** What it is about, of a page that was read on its own; steps that it only leads to have none. */
  about?: string;
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
  about?: string;
  back?: PanelPage;
};

export type PanelPage = PickerPage | TextPage;

export type PageResult = Promise<Result<PanelPage, Failure>>;

export const pickerPage = (
  title: string,
  rows: readonly PickerRow[],
  empty = "Nothing here yet.",
  keys?: PickerPage["keys"],
): PickerPage => ({
  type: "rows",
  title,
  rows,
  empty,
  query: "",
  at: 0,
  ...optional("keys", keys),
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

/** The nearest page, from the one on the screen backwards, that was read on its own. */
export const readPage = (page: PanelPage): PanelPage =>
  page.about === undefined && page.back ? readPage(page.back) : page;

/** Read again: the place and the words typed stay; a step further in ends, because what it was about may be gone. */
export function pageAgain(fresh: PanelPage, before: PanelPage): PanelPage {
  const same = readPage(before);
  const back = same.back ? { back: same.back } : {};
  if (fresh.type === "rows" && same.type === "rows")
    return { ...fresh, ...back, query: same.query, at: Math.min(same.at, Math.max(0, fresh.rows.length - 1)) };
  if (fresh.type === "text" && same.type === "text") return { ...fresh, ...back, top: same.top };
  return { ...fresh, ...back };
}
