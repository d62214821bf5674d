// Names, paths and codes in a text: each under every form by which somebody may ask for it.
import { remembering } from "../../../base/remember.ts";

const SIGN = "[\\p{L}\\p{N}_$@#.~/\\\\:+-]";
/** Anything that could be a name: not what is made of a to z alone, as most words are. */
const CHUNK = new RegExp(`(?<![a-z])(?![a-z]+(?!${SIGN}))${SIGN}+`, "gu");
const NAME =
  /[\p{L}\p{N}][_./\\:@-]+[\p{L}\p{N}]|\p{Ll}\p{Lu}|\p{L}\d|\d\p{L}|[#.]\p{L}|#\d|^[._$~@][\p{L}\p{N}]|\p{L}(?:\+\+|#)$/u;
const MAX_NAME = 400;
const MAX_SUFFIXES = 12;
const HEX = /^(?=.*\d)[0-9a-f]{7,64}$/;

export type Name = {
  /** As it stands in the text. */
  raw: string;
  /** Folded forms; the first is the whole name. */
  forms: string[];
};

export function namesOf(text: string): Name[] {
  const names: Name[] = [];
  for (const chunk of text.match(CHUNK) ?? []) {
    const name = chunk.length > OFTEN ? nameIn(chunk) : oftenNamed(chunk);
    if (name) names.push(name);
  }
  return names;
}

function nameIn(chunk: string): Name | undefined {
  if (chunk.length > MAX_NAME || !NAME.test(chunk)) return undefined;
  const raw = chunk.replace(/^[:+-]+|[.:/\\@~-]+$/g, "").replace(/(?:::?\d+)+$/, "");
  const forms = formsOf(raw);
  return forms.length > 0 ? { raw, forms } : undefined;
}

/** Short ones come again and again; nobody changes what is remembered of them. */
const OFTEN = 48;
const oftenNamed = remembering(50_000, nameIn);

/** `getUserById` and `get_user_by_id` are one; a path answers to each of its ends. */
export function formsOf(raw: string): string[] {
  const name = raw
    .replace(/^[a-z][a-z+.-]*:\/\//i, "")
    .replaceAll("\\", "/")
    .toLowerCase();
  const forms = new Set<string>();
  const parts = name.split(/\/|::/).filter((p) => p !== "" && p !== "." && p !== "..");
  for (let i = Math.max(0, parts.length - MAX_SUFFIXES); i < parts.length; i++) forms.add(parts.slice(i).join("/"));
  const last = parts.at(-1) ?? "";
  const bare = last.replace(/(?<=.)\.[\p{L}\p{N}]{1,8}$/u, "");
  forms.add(bare);
  forms.add(joined(bare));
  if (HEX.test(last)) forms.add(last.slice(0, 7));
  if (/^v\d/.test(last)) forms.add(last.slice(1));
  return [...forms].filter((f) => f.length > 1 && /[\p{L}\p{N}]/u.test(f));
}

const joined = (name: string): string => name.replace(/[_$@.-]+/g, "") || name;

const HUMP = /[a-z][A-Z]|[A-Z]{2}[a-z]/;
const LETTERS = /[A-Za-z0-9]+/g;

/** The words inside of camelCase names, which look like one word to everybody else. */
export function humpsOf(text: string): string[] {
  if (!HUMP.test(text)) return [];
  const humps: string[] = [];
  for (const [name] of text.matchAll(LETTERS)) {
    if (name.length > MAX_NAME || !HUMP.test(name)) continue;
    const parted = name.replace(/([a-z0-9])(?=[A-Z])/g, "$1 ").replace(/([A-Z])(?=[A-Z][a-z])/g, "$1 ");
    for (const part of parted.toLowerCase().split(" ")) if (part.length > 1) humps.push(part);
  }
  return humps;
}
