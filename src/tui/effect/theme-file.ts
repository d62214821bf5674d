// The theme that the settings name: a built-in one, a file of the home's themes folder, or the one for the terminal's background.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FaceStart } from "../../runtime/client.ts";
import { themeFor } from "../theme/background.ts";
import { themes } from "../theme/theme.ts";
import { isThemeName, type LoadedTheme, readTheme } from "../theme/user-theme.ts";

/** `reply`: what the terminal said of its background, if it did in time. */
export function loadTheme({ ui, home, terminal }: FaceStart, reply?: string): LoadedTheme {
  if (ui.theme === "auto") return { theme: themes[themeFor(reply, terminal.COLORFGBG)], notices: [] };
  if (isThemeName(ui.theme)) return { theme: themes[ui.theme], notices: [] };
  const file = `themes/${ui.theme}.json`;
  try {
    // A name is a name: it does not lead out of the folder.
    if (!/^[\w.-]{1,64}$/.test(ui.theme)) throw new Error("no name of a file");
    return readTheme(file, readFileSync(join(home, file), "utf8"));
  } catch {
    const names = ["auto", ...Object.keys(themes)].join(", ");
    return {
      theme: themes.dark,
      notices: [`ui.theme "${ui.theme}" is none of ${names}, and ${file} could not be read. The theme dark is used.`],
    };
  }
}
