// Which theme suits the terminal's background: asked of the terminal, or read from what it says of itself.

/** The question of OSC 11, and the answer that fits it. */
export const BACKGROUND_QUERY = "\u001b]11;?\u0007";
export const BACKGROUND_REPLY = /\u001b\]11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i;

/** Dark unless something says otherwise. `foreBack`: COLORFGBG, such as `0;15`. */
export function themeFor(reply: string | undefined, foreBack: string | undefined): "dark" | "light" {
  const colour = BACKGROUND_REPLY.exec(reply ?? "");
  if (colour) {
    const [red = 0, green = 0, blue = 0] = colour
      .slice(1)
      .map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? "light" : "dark";
  }
  const back = /;(\d{1,2})$/.exec(foreBack ?? "")?.[1];
  return back === "7" || back === "15" ? "light" : "dark";
}
