// Rows of which one is picked: arrows and Enter, typing narrows them, digits pick one of the first nine.
import { entryOf } from "../../base/own-entry.ts";
import type { PanelAction } from "../panel/contract.ts";
import type { PanelPage, PickerPage, PickerRow } from "../panel/page.ts";
import type { KeyPress } from "../terminal/input.ts";
import { span } from "../text/span.ts";
import { clipTo, widthOf } from "../text/width.ts";
import type { Look } from "../theme/look.ts";
import { fitLine } from "./line.ts";

const PAGE = 10;
const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  "ctrl+p": -1,
  down: 1,
  "ctrl+n": 1,
  pageUp: -PAGE,
  pageDown: PAGE,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

/** Those that hold every typed word, wherever it stands. */
function offeredRows({ rows, query }: PickerPage): readonly PickerRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ label, detail }) => {
    const text = `${label} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function renderPicker(page: PickerPage, width: number, look: Look, rows: number): string[] {
  const choices = offeredRows(page);
  const isSearch = page.query !== "" || page.isSearching;
  const search = isSearch ? [span("  search: ", "dim"), span(page.query, "accent")] : [];
  const head = fitLine([span(page.title, undefined, "bold"), ...search], width, look);
  if (choices.length === 0) {
    const words = page.rows.length === 0 ? page.empty : "No matches. Backspace widens the search.";
    return [head, fitLine([span(`  ${words}`, "dim")], width, look), ...foot("", page, undefined, width, look)];
  }
  const note = page.note === undefined ? [] : [fitLine([span(`  ${page.note}`, "dim")], width, look)];
  const room = Math.max(1, rows - 2 - note.length);
  const at = Math.min(page.at, choices.length - 1);
  const top = Math.max(0, Math.min(at - Math.floor(room / 2), choices.length - room));
  const visible = choices.slice(top, top + room).map((row) => ({ ...row, label: `${row.label}${row.more?.() ?? ""}` }));
  const columns = labelColumns([...choices, ...visible], width);
  const lines = visible.map((row, i) => rowLine(row, top + i, top + i === at, columns, width, look));
  return [head, ...note, ...lines, ...foot(`${at + 1}/${choices.length}`, page, choices[at], width, look)];
}

/** Where one is, and the letters that do something with the chosen row. */
function foot(
  place: string,
  { keys = {}, rows }: PickerPage,
  chosen: PickerRow | undefined,
  width: number,
  look: Look,
): string[] {
  const help = Object.entries(keys).flatMap(([key, words]) => (chosen?.keys?.[key] ? [`${key} ${words}`] : []));
  const parts = [place, ...help, ...(help.length > 0 && rows.length > 0 ? ["/ searches"] : [])].filter(Boolean);
  return parts.length === 0 ? [] : [fitLine([span(`  ${parts.join(` ${look.glyphs.dot} `)}`, "dim")], width, look)];
}

const labelColumns = (rows: readonly PickerRow[], width: number): number =>
  Math.min(Math.max(...rows.map(({ label }) => widthOf(label))), Math.floor(width * 0.6));

function rowLine(
  { label, detail }: PickerRow,
  index: number,
  isChosen: boolean,
  columns: number,
  width: number,
  look: Look,
): string {
  const number = index < 9 ? `${index + 1} ` : "  ";
  const { text } = span(label);
  const name = clipTo(text, columns, look.glyphs.ellipsis);
  const gap = " ".repeat(Math.max(0, columns - widthOf(name)) + 2);
  return fitLine(
    [
      span(isChosen ? "> " : "  ", "accent"),
      span(number, "dim"),
      span(name, isChosen ? "accent" : undefined),
      span(`${gap}${detail}`, "dim"),
    ],
    width,
    look,
  );
}

/** Undefined: the key is not a picker's. */
export function pickerKey(key: KeyPress, page: PickerPage): PanelAction<PanelPage> | undefined {
  const choices = offeredRows(page);
  const last = Math.max(0, choices.length - 1);
  const at = Math.min(page.at, last);
  const by = entryOf(STEPS, key.id);
  if (by !== undefined) return { type: "show", state: { ...page, at: Math.min(last, Math.max(0, at + by)) } };
  if (key.id === "enter") return picked(choices[at], page);
  if (key.id === "backspace") return narrowed(page, [...page.query].slice(0, -1).join(""));
  if (key.text === undefined) return undefined;
  if (page.keys && !page.isSearching) {
    const own = choices[at]?.keys?.[key.text];
    if (own) return stepFrom(page, own);
    if (key.text === "/") return { type: "show", state: { ...page, isSearching: true } };
    if (!/^[1-9]$/.test(key.text)) return { type: "show", state: page };
  }
  // Behind other letters a digit is a letter: names of models have them.
  if (page.query === "" && /^[1-9]$/.test(key.text)) return picked(choices[Number(key.text) - 1], page);
  return narrowed(page, page.query + key.text);
}

const narrowed = (page: PickerPage, query: string): PanelAction<PanelPage> => ({
  type: "show",
  state: { ...page, query: query.trimStart(), at: 0 },
});

function picked(row: PickerRow | undefined, page: PickerPage): PanelAction<PanelPage> {
  if (!row) return { type: "show", state: page };
  return stepFrom(page, row.does);
}

/** What an action shows leads back to here; closing a step further in leads back too. */
export function stepFrom(page: PanelPage, does: PanelAction<PanelPage>): PanelAction<PanelPage> {
  if (does.type === "show") return { type: "show", state: { ...does.state, back: page } };
  return does.type === "close" && page.back ? { type: "show", state: page.back } : does;
}
