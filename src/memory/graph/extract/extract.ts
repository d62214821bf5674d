// The rules extractor: the entities, facts and endings that one message states, without a model.
import { plainText, readBlocks, sentences } from "./block.ts";
import {
  type EntityDraft,
  type Extraction,
  type FactDraft,
  MAX_ENTITIES,
  MAX_FACTS,
  type SourceMessage,
} from "./draft.ts";
import { readGitOutput } from "./git-output.ts";
import { recogniseCodeLine } from "./recognise.ts";
import { readSentence, type SentenceContext } from "./sentence.ts";
import { readSteps } from "./step.ts";
import { utcTime } from "./time.ts";
import { POINTERS } from "./word-list.ts";

/** Depends on the message alone, so messages may come in any order. Never throws. */
export function extractFacts(message: SourceMessage): Extraction {
  const reading = readingOf(message);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

/** The same in short steps: a message may be long, and others wait for the thread. */
export function* readingOf(message: SourceMessage): Generator<undefined, Extraction> {
  const context: SentenceContext = { role: message.role, speaker: message.speaker ?? "user", at: utcTime(message.at) };
  const collection = collector();
  const lines = plainText(message.text).split("\n");
  const git = readGitOutput(lines, context.at, message.role === "tool");
  collection.add(git);
  if (message.role === "tool") collection.add({ entities: entitiesOfLines(lines) });
  else yield* readProse(lines, (place) => git.lines.has(place), context, collection);
  return collection.result();
}

function* readProse(
  lines: string[],
  isOutput: (place: number) => boolean,
  context: SentenceContext,
  collection: Collector,
): Generator<undefined, void> {
  const read = (text: string): void => {
    const { facts, endings, mentions } = readSentence(text, context);
    collection.add({ facts, endings, entities: mentions });
  };
  for (const block of readBlocks(lines, isOutput)) {
    if (collection.isFull()) return;
    yield;
    if (block.kind === "sentence") read(block.text);
    else if (block.kind === "output") {
      collection.add(readGitOutput(block.lines, context.at, true));
      collection.add({ entities: entitiesOfLines(block.lines) });
    } else {
      const facts = readSteps(block.title, block.steps, context.at);
      if (facts.length > 0) collection.add({ facts });
      else for (const text of block.steps.flatMap(sentences)) read(text);
    }
  }
}

function entitiesOfLines(lines: readonly string[]): EntityDraft[] {
  const entities: EntityDraft[] = [];
  for (const line of lines) {
    if (entities.length >= MAX_ENTITIES) break;
    entities.push(...recogniseCodeLine(line));
  }
  return entities;
}

type Collector = {
  add(part: Partial<Extraction>): void;
  isFull(): boolean;
  result(): Extraction;
};

const isFindable = ({ name }: EntityDraft): boolean => !POINTERS.has(name.toLowerCase());
const hasFindableEnds = ({ subject, object }: Pick<FactDraft, "subject" | "object">): boolean =>
  isFindable(subject) && isFindable(object);

/**
 * Each thing once, and no more than a message may give. A mention that is in no fact stays only when its form alone says
 * what it is, such as a file or a commit.
 */
function collector(): Collector {
  const entities = new Map<string, EntityDraft>();
  const facts = new Map<string, Extraction["facts"][number]>();
  const endings = new Map<string, Extraction["endings"][number]>();
  const keep = <T>(map: Map<string, T>, limit: number, parts: readonly unknown[], item: T): void => {
    const key = JSON.stringify(parts);
    if (map.size < limit && !map.has(key)) map.set(key, item);
  };
  const keepMention = (entity: EntityDraft): void => {
    if (isFindable(entity) && entity.label !== "Term" && entity.name.length > 1)
      keep(entities, MAX_ENTITIES, [entity.label, entity.name], entity);
  };
  return {
    add(part) {
      for (const fact of (part.facts ?? []).filter(hasFindableEnds))
        keep(facts, MAX_FACTS, [fact.subject, fact.relation, fact.object, fact.slot, fact.validAt], fact);
      for (const ending of (part.endings ?? []).filter(hasFindableEnds))
        keep(endings, MAX_FACTS, [ending.subject, ending.relation, ending.object, ending.at], ending);
      for (const entity of part.entities ?? []) keepMention(entity);
    },
    isFull: () => facts.size >= MAX_FACTS,
    result() {
      // Every end of a fact is listed, also where mentions alone would fill the list.
      const ends = [...facts.values(), ...endings.values()].flatMap(({ subject, object }) => [subject, object]);
      const all = new Map([...ends, ...entities.values()].map((entity) => [`${entity.label} ${entity.name}`, entity]));
      const limit = Math.max(MAX_ENTITIES, new Set(ends.map(({ label, name }) => `${label} ${name}`)).size);
      return {
        entities: [...all.values()].slice(0, limit),
        facts: [...facts.values()],
        endings: [...endings.values()],
      };
    },
  };
}
