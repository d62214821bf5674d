// A theme of the user's own: a file of roles over a built-in theme. What cannot be used is told with its line, and the default stays.
import { isRecord, parseJson, shownValue } from "../../base/json.ts";
import { rgbOf } from "./colour.ts";
import { type Emphasis, type Role, type RoleStyle, roles, type Theme, type ThemeName, themes } from "./theme.ts";

export type LoadedTheme = { theme: Theme; notices: string[] };

const EMPHASES: readonly string[] = ["bold", "italic", "underline", "strike", "dim", "inverse"] satisfies Emphasis[];

export const isThemeName = (name: string): name is ThemeName => Object.hasOwn(themes, name);

/** `file` is its name for messages. Each role is a colour, or an object of colour, back and emphasis; `extends` names a theme. */
export function readTheme(file: string, text: string): LoadedTheme {
  const parsed = parseJson(text);
  const usual = themes.dark;
  if (!parsed.ok || !isRecord(parsed.value))
    return { theme: usual, notices: [`${file} is not a JSON object. The theme dark is used.`] };
  const { extends: base = "dark", ...own } = parsed.value;
  const notices: string[] = [];
  const problem = (key: string, wanted: string, value: unknown) =>
    notices.push(
      `${file} line ${lineOf(text, key)}: "${key}" must be ${wanted}, found ${shownValue(value)}. The default is used.`,
    );
  const isKnown = typeof base === "string" && isThemeName(base);
  if (!isKnown) problem("extends", `one of ${Object.keys(themes).join(", ")}`, base);
  const theme: Record<Role, RoleStyle> = { ...(isKnown ? themes[base] : usual) };
  for (const [key, value] of Object.entries(own)) {
    const role = roles.find((one) => one === key);
    const style = styleOf(value);
    if (!role) notices.push(`${file} line ${lineOf(text, key)}: a theme has no "${key}". Use: ${roles.join(", ")}.`);
    else if (!style)
      problem(key, 'a colour such as "#7cb7ff" or 0 to 15, or an object of colour, back, emphasis', value);
    else theme[role] = { ...theme[role], ...style };
  }
  return { theme, notices };
}

function styleOf(value: unknown): RoleStyle | undefined {
  if (isColour(value)) return { colour: value };
  if (!isRecord(value)) return undefined;
  const { colour, back, emphasis, ...others } = value;
  if (Object.keys(others).length > 0) return undefined;
  if ((colour !== undefined && !isColour(colour)) || (back !== undefined && !isColour(back))) return undefined;
  const isList = Array.isArray(emphasis) && emphasis.every((one) => EMPHASES.includes(one));
  if (emphasis !== undefined && !isList) return undefined;
  return {
    ...(colour === undefined ? {} : { colour }),
    ...(back === undefined ? {} : { back }),
    ...(isList ? { emphasis: emphasis as Emphasis[] } : {}),
  };
}

const isColour = (value: unknown): value is string | number =>
  typeof value === "string"
    ? rgbOf(value) !== undefined
    : Number.isInteger(value) && Number(value) >= 0 && Number(value) < 16;

const lineOf = (text: string, key: string): number =>
  text.slice(0, Math.max(0, text.indexOf(`"${key}"`))).split("\n").length;
