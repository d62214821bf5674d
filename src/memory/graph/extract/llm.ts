// A model as the extractor: one call for a batch of messages, one more to repair its answer or to settle names; the rules when that fails.
import { within } from "../../../base/abort.ts";
import { isRecord } from "../../../base/json.ts";
import type { Episode } from "../../../schema/graph.ts";
import type { Extractor } from "../ingest.ts";
import { type EntityDraft, type Extraction, MAX_ENTITIES, MAX_FACT_TEXT, MAX_FACTS, MAX_NAME } from "./draft.ts";
import question from "./llm.md";
import { type EntityLabel, LABELS, RELATIONS, relationName } from "./relation.ts";
import { doubtsOf, isResolution, resolved, resolvingPrompt, type SimilarNames } from "./resolve.ts";
import { rulesExtractor } from "./rules.ts";
import { answerObject } from "./tolerant-json.ts";

/** One call. Undefined: no answer. */
export type AskExtractor = (
  prompt: string,
  signal: AbortSignal,
) => Promise<{ text: string; tokens: number } | undefined>;
/** What reading with a model cost, and what of its answers was not believed. */
export type ExtractorUse = {
  calls: number;
  tokens: number;
  /** Facts that name unlisted entities, are empty, or relate a thing to itself; and those over the limit. */
  dropped: number;
  /** Endings that the text does not say. */
  ignored: number;
  /** Batches that the rules read after all. */
  fallbacks: number;
};
type LlmExtractorOptions = {
  ask: AskExtractor;
  batch: number;
  /** Absent: names are matched by the store alone. */
  similar?: SimilarNames;
  /** After each batch. */
  onUse: (use: ExtractorUse) => Promise<unknown>;
};

const MOST_CALLS = 2;
const CALL_MS = 60_000;
/** How long a batch waits to be filled. */
const FILL_MS = 2000;

export function llmExtractor({ ask, batch, similar, onUse }: LlmExtractorOptions): Extractor {
  return {
    origin: "llm",
    batch,
    fillMs: FILL_MS,
    async extract(episodes, signal) {
      const use: ExtractorUse = { calls: 0, tokens: 0, dropped: 0, ignored: 0, fallbacks: 0 };
      const call = async (prompt: string, fits = isAnswer): Promise<Record<string, unknown> | undefined> => {
        use.calls++;
        const late = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);
        const pending = ask(prompt, late).catch(() => undefined); // as no answer
        const answer = await within(pending, CALL_MS, signal);
        const reply = answer.type === "value" ? answer.value : undefined;
        use.tokens += reply?.tokens ?? 0;
        return reply && answerObject(reply.text, fits);
      };
      const prompt = promptOf(episodes);
      const answer = (await call(prompt)) ?? (signal.aborted ? undefined : await call(`${prompt}\n\n${REPAIR}`));
      signal.throwIfAborted();
      if (!answer) use.fallbacks++;
      let extractions = answer ? readAnswer(answer, episodes, use) : await rulesExtractor.extract(episodes, signal);
      const group = episodes[0]?.group ?? "";
      // Two calls a batch: after a repair the names stay as they are.
      if (answer && similar && use.calls < MOST_CALLS) {
        const doubts = await doubtsOf(extractions, (name) => similar(group, name));
        const same = doubts.size === 0 ? undefined : await call(resolvingPrompt(doubts), isResolution);
        signal.throwIfAborted();
        if (same) extractions = resolved(extractions, same, doubts);
      }
      await onUse(use);
      return extractions;
    },
  };
}

const REPAIR = "Your last answer was not the JSON object described above. Answer again with that object alone.";

const isAnswer = (value: Record<string, unknown>): boolean => Array.isArray(value["messages"]);

function promptOf(episodes: readonly Episode[]): string {
  const rules = question
    .trim()
    .replace("{{labels}}", Object.keys(LABELS).join(", "))
    .replace("{{relations}}", Object.keys(RELATIONS).join(", "));
  const messages = episodes.map(
    ({ role, roleType, validAt, text }, i) =>
      `Message ${i + 1}, ${validAt}, ${roleType} ${JSON.stringify(role ?? "")}: ${JSON.stringify(text)}`,
  );
  return [rules, ...messages].join("\n\n");
}

function readAnswer(answer: Record<string, unknown>, episodes: readonly Episode[], use: ExtractorUse): Extraction[] {
  const parts = recordsIn(answer["messages"]);
  return episodes.map((episode, i) => {
    const own = parts.filter((part) => Number(part["index"]) === i + 1);
    return extractionOf(own, episode, use);
  });
}

function extractionOf(parts: readonly Record<string, unknown>[], episode: Episode, use: ExtractorUse): Extraction {
  const entities = new Map<string, EntityDraft>();
  for (const one of parts.flatMap((part) => recordsIn(part["entities"]))) {
    const name = textOf(one["name"], MAX_NAME);
    if (name !== "" && entities.size < MAX_ENTITIES) entities.set(name.toLowerCase(), { name, label: labelOf(one) });
  }
  const ends = (one: Record<string, unknown>) => {
    const [subject, object] = [one["subject"], one["object"]].map((name) =>
      entities.get(textOf(name, MAX_NAME).toLowerCase()),
    );
    return subject && object && subject !== object ? { subject, object } : undefined;
  };
  const facts: Extraction["facts"] = [];
  for (const one of parts.flatMap((part) => recordsIn(part["facts"]))) {
    const [pair, relation, text] = [
      ends(one),
      relationName(textOf(one["relation"], MAX_NAME)),
      textOf(one["fact"], MAX_FACT_TEXT),
    ];
    const slot = textOf(one["slot"], MAX_NAME);
    if (!pair || relation === "" || text === "" || facts.length === MAX_FACTS) use.dropped++;
    else facts.push({ ...pair, relation, text, validAt: timeOf(one["valid_at"], episode), ...(slot ? { slot } : {}) });
  }
  const endings: Extraction["endings"] = [];
  for (const one of parts.flatMap((part) => recordsIn(part["ended"]))) {
    const pair = ends(one);
    if (!pair || !SAYS_ENDED.test(episode.text)) use.ignored++;
    else {
      const relation = relationName(textOf(one["relation"], MAX_NAME));
      const text = textOf(one["fact"], MAX_FACT_TEXT) || episode.text.slice(0, MAX_FACT_TEXT);
      endings.push({ ...pair, ...(relation ? { relation } : {}), at: timeOf(one["at"], episode), text });
    }
  }
  return { entities: [...entities.values()], facts, endings };
}

/** Only a text that ends something outright ends it; what else a model takes for a contradiction is not believed. */
const SAYS_ENDED =
  /\b(no longer|not\b[^.]*\bany ?more|stop(s|ped)?|dropp?(s|ed)?|instead of|moved from|from \S+ to|ended|removed|replaced|retired|used to)\b/i;

const recordsIn = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const textOf = (value: unknown, most: number): string =>
  typeof value === "string" ? value.replace(/\s+/gu, " ").trim().slice(0, most) : "";

const labelOf = ({ label }: Record<string, unknown>): EntityLabel =>
  typeof label === "string" && Object.hasOwn(LABELS, label) ? (label as EntityLabel) : "Term";

const timeOf = (value: unknown, { validAt }: Episode): string =>
  typeof value === "string" && Number.isFinite(Date.parse(value)) ? value : validAt;
