// The terminal: what it can show and which keys it can tell apart, by what it says of itself.
import { allWell, type DoctorCheck, warning } from "../check.ts";
import { versionOf } from "./program.ts";

/** Terminals that speak the kitty keyboard protocol and synchronised output, by TERM or TERM_PROGRAM. */
const MODERN = /kitty|ghostty|wezterm|foot|alacritty|iterm|rio|contour|vscode/i;
const TMUX_NEEDED = 3.4;

export const terminalCheck: DoctorCheck = {
  name: "terminal",
  async look({ env }) {
    const name = `${env["TERM_PROGRAM"] ?? ""} ${env["TERM"] ?? ""}`.trim();
    const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
    const isUnicode = /utf-?8/i.test(locale);
    const isModern = MODERN.test(name);
    const facts = [
      name === "" ? "no terminal" : name,
      `colour ${colour(env)}`,
      `Unicode ${isUnicode ? "yes" : "no"}`,
      `keyboard protocol ${isModern ? "yes" : "basic"}`,
      `synchronised output ${isModern || env["TMUX"] ? "yes" : "unknown"}`,
    ];
    const version = env["TMUX"] ? await versionOf("tmux", ["-V"]) : undefined;
    if (version !== undefined) facts.push(version);
    const text = facts.join(", ");
    if (version !== undefined && Number.parseFloat(version.replace(/^\D+/, "")) < TMUX_NEEDED)
      return warning(text, `Update tmux to ${TMUX_NEEDED} or newer: older ones flicker.`);
    if (name !== "" && name !== "dumb" && !isUnicode)
      return warning(text, "Set LANG to a UTF-8 locale, such as C.UTF-8.");
    return allWell(text);
  },
};

function colour(env: Readonly<Record<string, string | undefined>>): string {
  if (env["NO_COLOR"]) return "off (NO_COLOR)";
  if (/truecolor|24bit/i.test(env["COLORTERM"] ?? "")) return "16 million";
  if (/256/.test(env["TERM"] ?? "")) return "256";
  return env["TERM"] && env["TERM"] !== "dumb" ? "16" : "none";
}
