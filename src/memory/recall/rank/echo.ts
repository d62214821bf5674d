// A past prompt in the words of the query: it repeats what is asked and answers nothing.
import { isQuestion } from "../text/question.ts";
import { analyseQuery, foldText, type Query } from "./query.ts";

/** Of the question's own stems and grams, the share that the query has too. */
const SAME = 0.8;
const MAX_CHARS = 400;

/** The query itself (`repeated`), or a question with nearly no other words (`asked`): its reply may be what is looked for. */
export function echoOf(text: string, query: Query): "repeated" | "asked" | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const asks = isQuestion(text);
  // Folding is the costly part: a text that says the same in other signs is about as long.
  if ((asks || text.length <= 2 * query.text.length) && foldText(text) === query.folded) return "repeated";
  if (!asks) return undefined;
  const wanted = new Set(contentOf(query));
  const own = contentOf(analyseQuery(text));
  const isSame = own.length > 0 && own.filter((term) => wanted.has(term)).length >= SAME * own.length;
  return isSame ? "asked" : undefined;
}

const contentOf = ({ terms }: Query): string[] =>
  terms.flatMap(({ channel, text }) => (channel === "stem" || channel === "gram" ? [`${channel} ${text}`] : []));
