// Files of labelled questions: one corpus a line, or one JSON object.
import * as z from "zod";
import { parseJson } from "../../../base/json.ts";
import { fail, ok, type Result } from "../../../base/result.ts";

const document = z.object({
  id: z.string().min(1),
  text: z.string(),
  session: z.string().optional(),
  /** Seconds or milliseconds since 1970, or a date as text. */
  time: z.union([z.string(), z.number()]).nullish(),
  role: z.string().nullish(),
});
const question = z.object({
  text: z.string(),
  relevant: z.array(z.string()),
  kind: z.union([z.string(), z.number()]).nullish(),
});
const corpus = z.object({
  name: z.string().optional(),
  documents: z.array(document),
  questions: z.array(question),
});
export type Corpus = z.infer<typeof corpus>;

/** The corpora, or what is wrong and in which line. */
export function parseCorpora(text: string): Result<Corpus[], string> {
  const whole = parseJson(text);
  if (whole.ok) {
    const one = accept(whole.value, 1);
    return one.ok ? enough([one.value]) : one;
  }
  const corpora: Corpus[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === "") continue;
    const parsed = parseJson(line);
    if (!parsed.ok) return fail(`line ${index + 1}: this is not JSON`);
    const accepted = accept(parsed.value, index + 1);
    if (!accepted.ok) return accepted;
    corpora.push(accepted.value);
  }
  return enough(corpora);
}

function accept(value: unknown, line: number): Result<Corpus, string> {
  const parsed = corpus.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return fail(`line ${line}: ${issue?.path.join(".") || "the corpus"}: ${issue?.message ?? "does not fit"}`);
  }
  const ids = new Set<string>();
  for (const { id } of parsed.data.documents) {
    if (ids.has(id)) return fail(`line ${line}: the document id ${JSON.stringify(id)} stands twice`);
    ids.add(id);
  }
  return ok(parsed.data);
}

const enough = (corpora: Corpus[]): Result<Corpus[], string> =>
  corpora.some((c) => c.questions.length > 0) ? ok(corpora) : fail("there are no questions");

export function timeOf(time: string | number | null | undefined): number | undefined {
  if (time === null || time === undefined || time === "") return undefined;
  const at = typeof time === "number" ? (time < 1e11 ? time * 1000 : time) : Date.parse(time);
  return Number.isFinite(at) ? at : undefined;
}
