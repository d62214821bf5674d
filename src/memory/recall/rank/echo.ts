// A past prompt in the words of the query: it repeats what is asked and answers nothing.
import { analyseQuery, foldText, type Query } from "./query.ts";

const QUESTION = /[?？؟]["'”’»)\]\s]*$/;
/** Of the question's own stems and grams, the share that the query has too. */
const SAME = 0.8;
const MAX_CHARS = 400;

/** The query itself, or a question with nearly no other words. */
export function isEcho(text: string, query: Query): boolean {
  if (text.length > MAX_CHARS) return false;
  if (foldText(text) === foldText(query.text)) return true;
  if (!QUESTION.test(text)) return false;
  const wanted = new Set(contentOf(query));
  const own = contentOf(analyseQuery(text));
  return own.length > 0 && own.filter((term) => wanted.has(term)).length >= SAME * own.length;
}

const contentOf = ({ terms }: Query): string[] =>
  terms.flatMap(({ channel, text }) => (channel === "stem" || channel === "gram" ? [`${channel} ${text}`] : []));
