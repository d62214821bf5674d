// Turns and questions as people write them, the same in every run: for benches of recall.
import type { Item } from "../../src/memory/recall/item.ts";

const SESSION = 200;
const REPOSITORIES = 40;
export const COMMON =
  "the to and of a in is it you that for on with this we have be as are not was at but can do so if what will my an from or how when which all about there one just more time like get no up out now need then into should see use file code make also work after test because only some error could where why did".split(
    " ",
  );

let seed = 42;
const random = (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
/** Words as people use them: a few very often, most hardly ever. */
export const word = (): string => {
  const rank = Math.floor(Math.exp(random() * Math.log(80_000)));
  return COMMON[rank - 1] ?? nameOf(rank);
};
const nameOf = (n: number): string => {
  const parts = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "to", "vi", "za", "cor", "den", "fal", "gri", "hom", "pel"];
  let text = "";
  for (let left = n; left > 0; left = Math.floor(left / parts.length)) text += parts[left % parts.length];
  return text;
};
const turn = (): string => Array.from({ length: 8 + Math.floor(random() * 24) }, word).join(" ");
/** A question: words that everybody uses, and a few of what it is about. */
export const question = (i: number): string => {
  const about =
    i % 10 === 0 ? [] : Array.from({ length: 2 + (i % 3) }, () => nameOf(100 + Math.floor(random() ** 2 * 30_000)));
  const asked = ["what did", "how do", "when was", "why is"][i % 4];
  return `${asked} we ${word()} the ${word()} ${about.join(" ")} for ${word()}`;
};

export const placeOf = (session: number): Item["place"] => ({
  session: `session-${session}`,
  repository: `repository-${session % REPOSITORIES}`,
  level: "session",
});

export function items(from: number, count: number): Item[] {
  let place = placeOf(0);
  return Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const session = Math.floor(n / SESSION);
    if (n % SESSION === 0 || i === 0) place = placeOf(session);
    return {
      id: `item-${n}`,
      kind: "turn",
      text: turn(),
      role: n % 2 === 0 ? "user" : "assistant",
      time: 1_700_000_000_000 + n * 60_000,
      seq: n % SESSION,
      turn: Math.floor((n % SESSION) / 2) + 1,
      index: (n % 2) + 1,
      place,
    };
  });
}
