// What a confined command may do; how the operating system holds it to that is bubblewrap.ts and seatbelt.ts.
import { existingTarget } from "../files.ts";

export type Confinement =
  /** Only looks: sees the system and these places, writes nothing, has no network and no other processes. */
  | {
      type: "look";
      reads: readonly string[];
      /** Kept out of sight where they lie inside one of `reads`; those of `reads` that lie inside them are seen. */
      hidden: readonly string[];
    }
  /** Works: sees everything but what is hidden, writes only here. */
  | { type: "work"; writes: readonly string[]; network: boolean; hidden: readonly string[] };

/** The words that stand before a program and its arguments to confine it. */
export type Prefix = readonly [string, ...string[]];

/** Real places that exist, each once, outer ones before what lies in them. */
export const realPlaces = (paths: readonly string[]): string[] =>
  [...new Set(paths.flatMap((path) => existingTarget(path) ?? []))].sort((a, b) => a.length - b.length);
