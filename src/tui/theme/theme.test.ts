// Themes and colours: every depth, files of the user's own, the terminal's background.
import { describe, expect, it } from "vitest";
import { span } from "../text/span.ts";
import { themeFor } from "./background.ts";
import { lookOf } from "./look.ts";
import { paint } from "./paint.ts";
import { roles, themes } from "./theme.ts";
import { readTheme } from "./user-theme.ts";

const CONTRAST = 4.5;

/** The contrast of two colours as WCAG counts it. */
function contrast(a: string, b: string): number {
  const light = (colour: string): number => {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
  return (high! + 0.05) / (low! + 0.05);
}

describe("themes", () => {
  it("F64 24-bit, 256 and 16 colours, and none: then bold stays", () => {
    const line = [span("x", "error", "bold")];
    expect(paint(line, lookOf())).toBe("\u001b[1;38;2;242;133;127mx\u001b[22;39m");
    expect(paint(line, lookOf({ depth: 256 }))).toMatch(/^\u001b\[1;38;5;\d+mx/);
    expect(paint(line, lookOf({ depth: 16 }))).toBe("\u001b[1;91mx\u001b[22;39m");
    expect(paint(line, lookOf({ depth: 0 }))).toBe("\u001b[1mx\u001b[22m");
    expect(paint(line, lookOf({ theme: themes.mono }))).toBe("\u001b[1mx\u001b[22m");
  });

  it("F64 text of dark and light themes can be read on their background", () => {
    const backgrounds = { dark: "#1e1e1e", light: "#ffffff" } as const;
    for (const name of ["dark", "light"] as const)
      for (const role of roles.filter((one) => one !== "rule")) {
        const { colour, back } = themes[name][role];
        if (typeof colour !== "string") continue;
        const behind = typeof back === "string" ? back : backgrounds[name];
        expect(contrast(colour, behind), `${name} ${role}`).toBeGreaterThan(CONTRAST);
      }
  });

  it("F64 FB10 a file of the user's own: good parts are used, bad ones are told with their line", () => {
    const text = '{\n  "extends": "light",\n  "accent": "#112233",\n  "dim": "grey",\n  "sparkle": 3\n}';
    const { theme, notices } = readTheme("themes/own.json", text);
    expect(theme.accent).toEqual({ colour: "#112233" });
    expect(theme.dim).toEqual(themes.light.dim);
    expect(notices).toEqual([
      expect.stringMatching(
        /^themes\/own\.json line 4: "dim" must be a colour .*found "grey"\. The default is used\.$/,
      ),
      expect.stringMatching(/^themes\/own\.json line 5: a theme has no "sparkle"/),
    ]);
    expect(readTheme("themes/own.json", "{").notices).toHaveLength(1);
  });

  it("F64 auto follows the terminal's background, and is dark when it does not say", () => {
    expect(themeFor("\u001b]11;rgb:ffff/ffff/f0f0\u0007", undefined)).toBe("light");
    expect(themeFor("\u001b]11;rgb:1e/1e/1e\u001b\\", "0;15")).toBe("dark");
    expect(themeFor(undefined, "0;15")).toBe("light");
    expect(themeFor(undefined, undefined)).toBe("dark");
  });
});
