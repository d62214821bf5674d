// Words that everybody uses for everything. In a small store they may be rare, and still say little about what is looked for.
import { stem } from "./stem.ts";

const WORDS = `
able accord act actually add ago agree allow almost already although always answer anything appear area around ask
away back bad base become begin believe best better big bit both bring call came care case certain change check
choose come complete consider continue course current day deal decide deep detail did different do done down during
each early easy either else end enough even ever every everything example exactly explain fact fall far feel few
find fine first five follow forward found four full further gave general give go going gone good great grow guess
had half happen happy hard hear help high hold hope hour huge idea important include instead involve issue keep
kind knew large last late later lead learn least leave left less life like likely little live long look lose lot
low made main make manage many matter may maybe mean mention might mind minute miss moment month move much must
near need never new next nice nothing now number often ok old one open order original own pair part particular past
people perhaps person piece place plan point possible present pretty probably problem provide put question quick
quite reach ready real reason recent related remember right run same saw second see seem set several short show
side simple since single small someone something soon sort sound specific spend stand start stay step still stop
stuff suggest suppose sure take talk tell ten thank thing think thought three throughout time today together told
top total toward tried true try turn two type under understand until use used usual various wait want way week well
went whether whole wish within without wonder word work would wrong year yes yesterday yet`;

/** How much of a light word's rarity counts. */
export const LIGHT = 0.5;

export const LIGHT_STEMS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/).map(stem));
