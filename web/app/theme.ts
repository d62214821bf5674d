// Dark or light: the system's choice until the reader makes one.
import { effect, signal } from "@preact/signals";
import { readLocal, writeLocal } from "./local.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type PageTheme = (typeof THEMES)[number];

const first = readLocal("theme");
export const theme = signal<PageTheme>(first === "light" || first === "dark" ? first : "system");
/** Moves whenever colours may have changed: what is drawn on a canvas reads them again. */
export const colours = signal(0);

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colours.value += 1;
});

effect(() => {
  const chosen = theme.value;
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
  writeLocal("theme", chosen === "system" ? undefined : chosen);
  colours.value = colours.peek() + 1;
});

/** A token's colour as it is now, for canvases. */
export function colour(token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${token})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
