// Themes: what each role looks like. Colour only repeats what words and glyphs say already.

export type Emphasis = "bold" | "italic" | "underline" | "strike" | "dim" | "inverse";

export const roles = [
  ...([
    "accent",
    "dim",
    "success",
    "warning",
    "error",
    "user",
    "heading",
    "strong",
    "link",
    "code",
    "quote",
    "rule",
  ] as const),
  ...(["added", "removed", "addedWord", "removedWord", "fold"] as const),
  ...(["keyword", "string", "number", "comment", "function", "type", "property"] as const),
] as const;
export type Role = (typeof roles)[number];

/** `colour`: `#rrggbb`, or one of the terminal's own sixteen by number. `back` is behind the text. */
export type RoleStyle = { colour?: string | number; back?: string | number; emphasis?: readonly Emphasis[] };
export type Theme = Readonly<Record<Role, RoleStyle>>;

const forms: Readonly<Partial<Record<Role, RoleStyle>>> = {
  heading: { emphasis: ["bold"] },
  strong: { emphasis: ["bold"] },
  link: { emphasis: ["underline"] },
  addedWord: { emphasis: ["bold"] },
  removedWord: { emphasis: ["bold"] },
};

type Palette = Readonly<Partial<Record<Role, string | number>>> & {
  behind?: Readonly<Partial<Record<Role, string | number>>>;
};

/** Every role has a style; forms such as bold are the same in all themes. */
function themeOf({ behind = {}, ...colours }: Palette, more: Partial<Record<Role, RoleStyle>> = {}): Theme {
  return Object.fromEntries(
    roles.map((role) => {
      const [colour, back] = [colours[role], behind[role]];
      const style = { ...(colour === undefined ? {} : { colour }), ...(back === undefined ? {} : { back }) };
      return [role, { ...forms[role], ...style, ...more[role] }];
    }),
  ) as Theme;
}

const dark = themeOf({
  accent: "#7cb7ff",
  dim: "#8b93a1",
  success: "#8fce8b",
  warning: "#e6c07b",
  error: "#f2857f",
  user: "#7cb7ff",
  heading: "#e9edf3",
  link: "#7cb7ff",
  code: "#e0b98c",
  quote: "#a9b1bd",
  rule: "#4b5563",
  fold: "#8b93a1",
  added: "#8fce8b",
  removed: "#f2857f",
  addedWord: "#c9f2c5",
  removedWord: "#ffc9c5",
  keyword: "#c69cf0",
  string: "#9fd39b",
  number: "#e0b98c",
  comment: "#7d8694",
  function: "#7cb7ff",
  type: "#74c9c9",
  property: "#c5cedb",
  behind: { addedWord: "#1f4a2a", removedWord: "#5c2626" },
});

const light = themeOf({
  accent: "#1f5fbf",
  dim: "#667080",
  success: "#1f7a33",
  warning: "#8a5a00",
  error: "#b3261e",
  user: "#1f5fbf",
  heading: "#111827",
  link: "#1f5fbf",
  code: "#8a4b14",
  quote: "#4b5563",
  rule: "#b6bdc8",
  fold: "#667080",
  added: "#1f7a33",
  removed: "#b3261e",
  addedWord: "#0f5323",
  removedWord: "#861a14",
  keyword: "#7c3aad",
  string: "#1f7a33",
  number: "#8a4b14",
  comment: "#6b7280",
  function: "#1f5fbf",
  type: "#0f6b6b",
  property: "#374151",
  behind: { addedWord: "#c9efd0", removedWord: "#fbd2cf" },
});

const highContrast = themeOf({
  accent: 14,
  success: 10,
  warning: 11,
  error: 9,
  user: 14,
  link: 14,
  code: 11,
  added: 10,
  removed: 9,
  addedWord: 10,
  removedWord: 9,
  keyword: 13,
  string: 10,
  number: 11,
  function: 14,
  type: 14,
});

/** Blue and orange: told apart with any kind of colour vision. */
const colourBlind = themeOf({
  accent: "#56b4e9",
  dim: "#8b93a1",
  success: "#56b4e9",
  warning: "#f0e442",
  error: "#e69f00",
  user: "#56b4e9",
  link: "#56b4e9",
  code: "#cc79a7",
  quote: "#a9b1bd",
  rule: "#4b5563",
  fold: "#8b93a1",
  added: "#56b4e9",
  removed: "#e69f00",
  addedWord: "#bfe3f7",
  removedWord: "#ffe0a3",
  keyword: "#cc79a7",
  string: "#56b4e9",
  number: "#e69f00",
  comment: "#8b93a1",
  function: "#f0e442",
  behind: { addedWord: "#0b3d59", removedWord: "#5a3d00" },
});

const mono = themeOf(
  {},
  {
    dim: { emphasis: ["dim"] },
    comment: { emphasis: ["dim"] },
    rule: { emphasis: ["dim"] },
    fold: { emphasis: ["dim"] },
  },
);

export const themes = {
  dark,
  light,
  "high-contrast": highContrast,
  "colour-blind": colourBlind,
  mono,
} as const satisfies Record<string, Theme>;
export type ThemeName = keyof typeof themes;
