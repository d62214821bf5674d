// The one view of all panels that are pages: rows to pick from, or a text that scrolls under its title.
import { entryOf } from "../../base/own-entry.ts";
import type { PanelView } from "../panel/contract.ts";
import type { PanelPage, TextPage } from "../panel/page.ts";
import { span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { fitLine, wholeText } from "./line.ts";
import { pickerKey, renderPicker, stepFrom } from "./picker.ts";
import { scrolled, scrollKey } from "./scroll.ts";

export const browseView: PanelView<PanelPage> = {
  render: (page, width, look, rows) =>
    page.type === "rows" ? renderPicker(page, width, look, rows) : renderText(page, width, look, rows),
  handle(key, page) {
    if (key.id === "escape" && page.back) return { type: "show", state: page.back };
    if (page.type === "rows") return pickerKey(key, page);
    const own = entryOf(page.keys, key.id);
    if (own) return stepFrom(page, own.does);
    const top = scrollKey(key, page.top, page.height);
    return top === undefined ? undefined : { type: "show", state: { ...page, top } };
  },
};

function renderText(page: TextPage, width: number, look: Look, rows: number): string[] {
  const help = Object.entries(page.keys).map(([key, one]) => `${key} ${one.help}`);
  const foot = help.length === 0 ? [] : [fitLine([span(help.join(` ${look.glyphs.dot} `), "dim")], width, look)];
  const lines = wholeText(page.text, width, look);
  page.height = lines.length;
  const room = Math.max(1, rows - 1 - foot.length);
  const head = fitLine([span(page.title, undefined, "bold")], width, look);
  return [head, ...scrolled(lines, page.top, room, width, look), ...foot];
}
