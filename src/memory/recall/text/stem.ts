// Porter's stems of words of the Latin alphabet without accents; all other words are their own stem.
import { stemmer } from "stemmer";
import { remembering } from "../../../base/remember.ts";

export const stem = remembering(100_000, (word) => (/^[a-z]{3,}$/.test(word) ? stemmer(word) : word));
