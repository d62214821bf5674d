// Fuzzy matching of a few typed letters with names and paths.

/**
 * How well the letters stand in the name, in their order; undefined when they do not. The higher the better: whole runs,
 * beginnings of words and of the last part of a path count more, long names less.
 */
export function fuzzyScore(letters: string, name: string): number | undefined {
  if (letters === "") return -name.length / 1000;
  const wanted = letters.toLowerCase();
  const text = name.toLowerCase();
  const whole = text.lastIndexOf(wanted);
  const base = text.lastIndexOf("/", text.length - 2) + 1;
  if (whole >= 0)
    return 100 + (whole >= base ? 40 : 0) + (isStart(name, Math.max(whole, 0)) ? 20 : 0) - name.length / 10;
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    score += next === at + 1 ? 3 : isStart(name, next) ? 2 : 0;
    at = next;
  }
  return score - name.length / 10;
}

/** A letter behind a sign, or a capital behind a small letter. */
function isStart(name: string, at: number): boolean {
  if (at === 0) return true;
  const before = name[at - 1] ?? "";
  const here = name[at] ?? "";
  return /[^\p{L}\p{N}]/u.test(before) || (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(here));
}
