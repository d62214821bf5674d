// Stories of changing facts: people move, ports and states change, tools replace each other, told in many ways over a year.
import { type Draw, draw } from "../../src/memory/secret/sample-tokens-fixture.ts";
import type { LabelledMessage, Statement } from "./labelled.ts";

const PEOPLE = ["Alice", "Bruno", "Chidi", "Dilek", "Erik", "Fatima", "Goran", "Hana"];
const CITIES = ["Berlin", "Lagos", "Lima", "Osaka", "Porto", "Riga", "Tunis", "Vienna"];
const COMPANIES = ["Acme", "Globex", "Hooli", "Initech", "Umbrella", "Vandelay"];
const SERVICES = ["billing service", "gateway", "search service", "mail worker", "auth api", "export job"];
const STATES = ["red", "green", "broken", "deprecated", "live", "down", "stable", "blocked"];
const TOOLS = ["Jest", "Vitest", "Webpack", "Rolldown", "Yarn", "Prettier", "Biome", "Redis", "Kafka", "Postgres"];

/** A slot with its value over time, and the ways in which a change of it is told. */
type Slot = {
  values: readonly string[];
  edge(value: string): string;
  ways: readonly ((value: string, before: string | undefined) => { text: string; ends?: true } | undefined)[];
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function slots(): Slot[] {
  return [
    ...PEOPLE.map(
      (name): Slot => ({
        values: CITIES,
        edge: (city) => `${name} | LIVES_IN | ${city}`,
        ways: [
          (city) => ({ text: `${name} lives in ${city}.` }),
          (city) => ({ text: `${name} moved to ${city}.` }),
          (city, before) =>
            before === undefined ? undefined : { text: `${name} moved from ${before} to ${city}.`, ends: true },
          (city) => ({ text: `By the way, ${name} now lives in ${city}, I met them there.` }),
        ],
      }),
    ),
    ...PEOPLE.slice(4).map(
      (name): Slot => ({
        values: COMPANIES,
        edge: (company) => `${name} | WORKS_AT | ${company}`,
        ways: [
          (company) => ({ text: `${name} works at ${company}.` }),
          (company) => ({ text: `${name} has joined ${company}!` }),
        ],
      }),
    ),
    ...SERVICES.map(
      (name): Slot => ({
        values: STATES,
        edge: (state) => `${name} | HAS_STATUS | ${state}`,
        ways: [
          (state) => ({ text: `The ${name} is now ${state}.` }),
          (state) => ({ text: `The status of the ${name} is ${state}.` }),
          (state) => ({ text: `ok, the ${name} is ${state} again` }),
        ],
      }),
    ),
    ...SERVICES.map(
      (name): Slot => ({
        values: ["8080", "9090", "7001", "4430", "3000", "5050"],
        edge: (port) => `${name} port | HAS_VALUE | ${port}`,
        ways: [
          (port) => ({ text: `The port of the ${name} is ${port}.` }),
          (port) => ({ text: `The ${name} listens on port ${port}.` }),
          (port) => ({ text: `${capital(name)} port is now ${port}.` }),
          (port, before) =>
            before === undefined
              ? undefined
              : { text: `The ${name} port changed from ${before} to ${port}.`, ends: true },
        ],
      }),
    ),
  ];
}

/** Sentences of the same words that state nothing. */
const NOISE: readonly ((d: Draw) => string)[] = [
  (d) => `Does ${d.pick(PEOPLE)} live in ${d.pick(CITIES)}?`,
  (d) => `If the ${d.pick(SERVICES)} is ${d.pick(STATES)}, call me.`,
  (d) => `I think ${d.pick(PEOPLE)} works at ${d.pick(COMPANIES)}.`,
  (d) => `We should use ${d.pick(TOOLS)} for the ${d.pick(SERVICES)}.`,
  (d) => `The ${d.pick(SERVICES)} is not ${d.pick(STATES)}.`,
  (d) => `${d.pick(PEOPLE)} said the ${d.pick(SERVICES)} is ${d.pick(STATES)}.`,
  (d) => `Could we have moved from ${d.pick(TOOLS)} to ${d.pick(TOOLS)}?`,
  () => "Thanks, that is all for today.",
];

const DAY = 86_400_000;

/** The same seed gives the same story. */
export function story(seed: number, length: number): LabelledMessage[] {
  const d = draw(seed);
  const current = new Map<Slot, string>();
  const all = slots();
  return Array.from({ length }, (_, day): LabelledMessage => {
    const at = new Date(Date.UTC(2025, 0, 1) + day * DAY + d.below(DAY)).toISOString();
    if (d.below(3) === 0)
      return { kind: "story", message: { role: "user", at, text: d.pick(NOISE)(d) }, wanted: [], allowed: [] };
    const slot = d.pick(all);
    const before = current.get(slot);
    const value = d.pick(slot.values.filter((other) => other !== before));
    const way = d.pick(slot.ways)(value, before) ?? slot.ways[0]?.(value, before);
    const when = d.below(4) === 0 ? { text: "Since yesterday ", at: dayBefore(at) } : undefined;
    // "Since yesterday" goes before a plain state only, not before an event.
    const dated =
      when && way && /^(?:The|[A-Z]\w+ (?:lives|works)).* (?:is|lives|works|listens)\b/.test(way.text)
        ? when
        : undefined;
    const told = way?.text ?? "";
    const text = dated ? `${dated.text}${told.startsWith("The ") ? `the ${told.slice(4)}` : told}` : told;
    current.set(slot, value);
    const stated = (edge: string): Statement => ({ edge: edge.toLowerCase(), ...(dated && { at: dated.at }) });
    const wanted = [stated(slot.edge(value)), ...(way?.ends && before ? [stated(`- ${slot.edge(before)}`)] : [])];
    return { kind: "story", message: { role: "user", at, text }, wanted, allowed: [] };
  });
}

const dayBefore = (at: string): string => new Date(Date.parse(at.slice(0, 10)) - DAY).toISOString();
