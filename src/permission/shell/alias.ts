// New names that a line gives to places: links it makes, and what it moves or copies with the links in it.
import { basename, dirname, join, resolve } from "node:path";
import { optional } from "../../base/optional.ts";
import { isInside } from "../../host/paths.ts";
import { realPath, type SeenLinks } from "../path.ts";
import { kindOfPlace } from "../places.ts";
import type { ShellWord } from "./word.ts";
import { COPY, readArguments } from "./writes.ts";

/** The file system as the line may have made it: as it is now, with some names leading to other places. */
export type AliasState = {
  links: SeenLinks;
  /** The real place that was copied, in a state with a copy: only what leaves it by a link is meant. */
  copied?: string;
  /** It rests on a guess. */
  unsure?: true;
};

/** A command that may give new names, with its words as far as they are literal or guessed. */
export type NamingCommand = { words: readonly string[]; unsure?: true };

type Naming = { sources: string[]; names: string[]; kind: "link" | "same" | "copy"; replaces: boolean };

/** More new names than this in one line are not followed. */
const MOST_STATES = 64;
const COPIES_LINKS = /^(-[^-]*[rRadP]|--(recursive|archive|no-dereference|preserve.*|links))$/;

/** The file system as it is, then after each new name; undefined when there are too many. */
export function aliasStates(
  commands: Iterable<NamingCommand>,
  folders: readonly string[],
): [AliasState, ...AliasState[]] | undefined {
  const states: [AliasState, ...AliasState[]] = [{ links: new Map() }];
  let base: AliasState = states[0];
  for (const { words, unsure = base.unsure } of commands) {
    const naming = namingOf(words);
    if (!naming) continue;
    for (const folder of folders)
      for (const source of naming.sources) {
        // The text of a symbolic link is read from where the link lies.
        const target = naming.kind === "link" ? source : resolve(folder, source);
        const links: SeenLinks = new Map(base.links);
        for (const name of naming.names) {
          const place = placeOf(name, folder, base.links);
          const isInto = !naming.replaces && kindOfPlace(place) === "folder";
          for (const path of [...(isInto ? [] : [place]), join(place, basename(source))])
            if (path !== target) links.set(path, { type: "link", target });
        }
        const copied = naming.kind === "copy" ? realPath(source, folder, base.links) : undefined;
        const state: AliasState = { links, ...optional("unsure", unsure) };
        if (states.push({ ...state, ...optional("copied", copied) }) > MOST_STATES) return undefined;
        if (naming.kind !== "copy") base = state;
      }
  }
  return states;
}

/** Whether the program is one that gives new names. */
export const givesNames = ([program]: readonly ShellWord[]): boolean =>
  /^(ln|link|mv|mount|cp|rsync)$/.test(basename(program?.value ?? ""));

/** It changes names themselves: where the last one leads does not matter to it. */
export const changesNames = ([program]: readonly ShellWord[]): boolean =>
  /^(ln|link|mv|mount|rm|rmdir|unlink)$/.test(basename(program?.value ?? ""));

/** Where the path leads in this state. */
export const realPathIn = (state: AliasState, path: string, folder: string): string | undefined =>
  isOwnCopy(state, realPath(path, folder, state.links)) ? realPath(path, folder) : realPath(path, folder, state.links);

/** Where the name itself lies in this state, wherever it leads. */
export function nameIn(state: AliasState, path: string, folder: string): string {
  const place = placeOf(path, folder, state.links);
  return isOwnCopy(state, place) ? placeOf(path, folder, new Map()) : place;
}

const isOwnCopy = ({ copied }: AliasState, real: string | undefined): boolean =>
  real !== undefined && copied !== undefined && isInside(real, copied);

const placeOf = (name: string, folder: string, links: SeenLinks): string => {
  const path = resolve(folder, name);
  return join(realPath(dirname(path), "/", links) ?? dirname(path), basename(path));
};

function namingOf(words: readonly string[]): Naming | undefined {
  const [program = "", ...args] = words;
  const kind = kindOf(basename(program), args);
  if (!kind) return undefined;
  const { operands, named } = readArguments(args, COPY);
  const names = named.length > 0 ? named : operands.slice(1).slice(-1);
  const sources = named.length > 0 ? operands : operands.slice(0, Math.max(1, operands.length - 1));
  const replaces = args.some((arg) => /^(-[^-]*[nT]|--no-(dereference|target-directory))/.test(arg));
  return { kind, sources, names: names.length > 0 ? names : ["."], replaces };
}

function kindOf(program: string, args: readonly string[]): Naming["kind"] | undefined {
  const has = (pattern: RegExp): boolean => args.some((arg) => pattern.test(arg));
  switch (program) {
    case "ln":
      return has(/^(-[^-]*s|--s.*)/) && !has(/^(-[^-]*r|--r.*)/) ? "link" : "same";
    case "link":
    case "mv":
    case "mount":
      return "same";
    case "cp":
    case "rsync":
      if (has(/^(-[^-]*[ls]|--(link|sym.*))$/) && program === "cp") return "same";
      return has(COPIES_LINKS) ? "copy" : undefined;
    default:
      return undefined;
  }
}
