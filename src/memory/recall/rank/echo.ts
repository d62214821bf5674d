// A past prompt in the words of the query: it repeats what is asked and answers nothing.
import { remembering } from "../../../base/remember.ts";
import { readings } from "../text/reading.ts";
import { analyseQuery, foldText, type Query } from "./query.ts";

/** The share of the question's own stems and grams that the query has too. */
const SAME = 0.8;
const MAX_CHARS = 400;

/** The query itself (`repeated`), or a question with nearly no other words (`asked`): its reply may be what is looked for. */
export type Echo = "repeated" | "asked";

/** What tells for one query. */
export function echoesOf(query: Query): (text: string) => Echo | undefined {
  const wanted = new Set(contentOf(query));
  const words = readings().of(query.text).words.length;
  return (text) => {
    if (text.length > MAX_CHARS) return undefined;
    const { asks, words: own } = readings().of(text);
    // Folding is the costly part: a text that says the same in other signs has as many words.
    if (own.length === words && foldedText(text) === query.folded) return "repeated";
    return asks && isSame(contentOfText(text), wanted) ? "asked" : undefined;
  };
}

function isSame(own: readonly string[], wanted: ReadonlySet<string>): boolean {
  return own.length > 0 && own.filter((term) => wanted.has(term)).length >= SAME * own.length;
}

/** Questions come again as neighbours of one result after the other. */
const foldedText = remembering(2_000, foldText);
const contentOfText = remembering(2_000, (text) => contentOf(analyseQuery(text)));

const contentOf = ({ terms }: Query): string[] =>
  terms.flatMap(({ channel, text }) => (channel === "stem" || channel === "gram" ? [`${channel} ${text}`] : []));
