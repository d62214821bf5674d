// Porter's stems of words of the Latin alphabet without accents; all other words are their own stem.
import { stemmer } from "stemmer";

const stems = new Map<string, string>();
const MOST_STEMS = 100_000;

export function stem(word: string): string {
  if (word.length < 3) return word;
  const cached = stems.get(word);
  if (cached !== undefined) return cached;
  if (!/^[a-z]+$/.test(word)) return word;
  const stemmed = stemmer(word);
  if (stems.size >= MOST_STEMS) stems.clear();
  stems.set(word, stemmed);
  return stemmed;
}
