// What people settle among themselves: decisions, preferences with what they are for, terminology and ownership.
import { OWNERSHIP_ROWS } from "./ownership.ts";
import type { RuleRow } from "./row.ts";

const isAbbreviation = (short: string, long: string): boolean =>
  short.length > 1 &&
  short.toLowerCase() ===
    long
      .toLowerCase()
      .split(/[\s-]+/)
      .map((word) => word.charAt(0))
      .join("");

const DECISIONS: readonly RuleRow[] = [
  {
    pattern: "decision : {object:decision}",
    relation: "CREATED",
    subject: "we",
    holds: true,
    examples: [
      ["Decision: every endpoint gets a prefix.", "team | CREATED | every endpoint gets a prefix"],
      ["Decision: the web app uses Svelte.", "team | CREATED | the web app uses Svelte", "web app | USES | Svelte"],
    ],
    counterexamples: ["Decision: maybe later.", "A decision is needed."],
  },
  {
    pattern: "{subject:person} decided|agreed to {object:decision}",
    relation: "CREATED",
    follows: "",
    examples: [
      ["We decided to use SQLite for storage.", "team | CREATED | use SQLite for storage", "workspace | USES | SQLite"],
      ["We agreed to drop Node 18.", "team | CREATED | drop Node 18", "- workspace | USES | Node 18"],
      ["Alice decided to rewrite the parser.", "Alice | CREATED | rewrite the parser"],
    ],
    counterexamples: [
      "We have not decided to use SQLite.",
      "Have we decided to use SQLite?",
      "If we decide to use SQLite, tell me.",
    ],
  },
  {
    pattern: "{subject:person} decided|agreed that {object:decision}",
    relation: "CREATED",
    holds: true,
    examples: [
      [
        "We agreed that the public API uses cursor pagination.",
        "team | CREATED | the public API uses cursor pagination",
        "public API | USES | cursor pagination",
      ],
    ],
    counterexamples: [
      "We never agreed that the public API uses cursors.",
      "We agreed that it should use cursors.",
      "Did we agree that the public API uses cursors?",
    ],
  },
  {
    pattern: "it was decided|agreed that? {object:decision}",
    relation: "CREATED",
    subject: "we",
    holds: true,
    examples: [["It was decided that releases happen on Tuesdays.", "team | CREATED | releases happen on Tuesdays"]],
    counterexamples: ["It was never decided that releases happen on Tuesdays.", "It was decided by whom?"],
  },
  {
    pattern: "we decided|agreed|settled on {object:products} …",
    relation: "USES",
    subject: "we",
    examples: [["We settled on Keycloak for single sign-on.", "workspace | USES | Keycloak"]],
    counterexamples: ["We never settled on Keycloak.", "We should settle on Keycloak.", "Have we settled on Keycloak?"],
  },
  {
    pattern: "{subject:person} decided|agreed|settled on {object:decision} after {other:phrase}",
    relation: "CREATED",
    examples: [["We settled on REST after a long debate.", "team | CREATED | REST"]],
    counterexamples: ["We have not settled on REST after a long debate.", "We settled after a long debate."],
  },
  {
    pattern: "{subject:person} decided|agreed|settled on {object:decision}",
    relation: "CREATED",
    examples: [["We settled on trunk-based development.", "team | CREATED | trunk-based development"]],
    counterexamples: ["We have not settled on a name.", "We should agree on a name."],
  },
  {
    pattern: "{subject:person} chose|picked|selected {object:decision}",
    relation: "CREATED",
    follows: "use",
    examples: [["We chose Kafka over RabbitMQ.", "team | CREATED | Kafka over RabbitMQ", "workspace | USES | Kafka"]],
    counterexamples: ["We never chose Kafka.", "Who chose Kafka?"],
  },
  {
    pattern: "we are going with {object:decision}",
    relation: "CREATED",
    subject: "we",
    follows: "use",
    examples: [["We're going with Hono.", "team | CREATED | Hono", "workspace | USES | Hono"]],
    counterexamples: ["Are we going with Hono?", "We are not going with Hono."],
  },
  {
    pattern: "let us go|stick|stay with {object:decision}",
    relation: "CREATED",
    subject: "we",
    follows: "use",
    examples: [["Let's go with Tailwind.", "team | CREATED | Tailwind", "workspace | USES | Tailwind"]],
    counterexamples: ["Let's not go with Tailwind.", "Let's go."],
  },
  {
    pattern: "let us {object:adoption}",
    relation: "CREATED",
    subject: "we",
    follows: "",
    examples: [
      [
        "Let's use pnpm instead of npm.",
        "team | CREATED | use pnpm instead of npm",
        "workspace | USES | pnpm",
        "- workspace | USES | npm",
      ],
    ],
    counterexamples: ["Let's use the time we have.", "Let's see.", "Let's run the tests.", "Let's not use pnpm."],
  },
];

const PREFERENCES: readonly RuleRow[] = [
  {
    pattern: "{subject:person} prefer|prefers {object:preference} over|to {other:preference} for|in {purpose:phrase}",
    relation: "PREFERS",
    personal: true,
    examples: [["I prefer tabs over spaces for indentation.", "user | PREFERS | tabs # indentation"]],
    counterexamples: [
      "If I preferred tabs over spaces for code, I would say so.",
      "Do you prefer tabs over spaces for code?",
    ],
  },
  {
    pattern: "{subject:person} prefer|prefers {object:preference} over|to {other:preference}",
    relation: "PREFERS",
    personal: true,
    examples: [["I prefer Vim to Emacs.", "user | PREFERS | Vim"]],
    counterexamples: ["I would prefer not to touch that.", "He said he prefers Vim to Emacs."],
  },
  {
    pattern: "{subject:person} prefer|prefers {object:preference} for {purpose:phrase}",
    relation: "PREFERS",
    personal: true,
    examples: [["We prefer pino for logging.", "team | PREFERS | pino # logging"]],
    counterexamples: ["You prefer pino for logging.", "I don't prefer pino for logging."],
  },
  {
    pattern: "for|in {purpose:phrase} {subject:person} prefer|prefers {object:preference} over|to {other:preference}",
    relation: "PREFERS",
    personal: true,
    examples: [["For new endpoints I prefer Fastify over Express.", "user | PREFERS | Fastify # new endpoints"]],
    counterexamples: ["For new endpoints I would prefer Fastify over Express.", "For tests I prefer it over Jest."],
  },
  {
    pattern: "for|in {purpose:phrase} {subject:person} prefer|prefers {object:preference}",
    relation: "PREFERS",
    personal: true,
    examples: [
      ["For logging I prefer pino.", "user | PREFERS | pino # logging"],
      ["In reviews I prefer short comments.", "user | PREFERS | short comments # reviews"],
    ],
    counterexamples: ["For logging I would prefer pino.", "For logging I prefer not to say."],
  },
  {
    pattern: "{subject:person} prefer|prefers {object:preference}",
    relation: "PREFERS",
    personal: true,
    examples: [
      ["I prefer dark mode.", "user | PREFERS | dark mode"],
      ["I no longer prefer dark mode.", "- user | PREFERS | dark mode"],
    ],
    counterexamples: ["I prefer it.", "I used to prefer dark mode.", "Would you prefer dark mode?"],
  },
  {
    pattern: "{subject:person} would rather use {object:preference} than {other:preference}",
    relation: "PREFERS",
    personal: true,
    examples: [["I'd rather use fetch than axios.", "user | PREFERS | fetch"]],
    counterexamples: ["I'd rather not.", "I'd rather go home than stay."],
  },
  {
    pattern: "{subject:person} like|likes {object:preference} better|more than {other:preference} for {purpose:phrase}",
    relation: "PREFERS",
    personal: true,
    examples: [["I like Vitest better than Jest for unit tests.", "user | PREFERS | Vitest # unit tests"]],
    counterexamples: ["I would like Vitest better than Jest for that.", "Do you like A better than B for tests?"],
  },
  {
    pattern: "{subject:person} like|likes {object:preference} better|more than {other:preference}",
    relation: "PREFERS",
    personal: true,
    examples: [["Bob likes pytest more than unittest.", "Bob | PREFERS | pytest"]],
    counterexamples: ["I like it better than that.", "I don't like Vim better than Emacs."],
  },
  {
    pattern: "my favourite|favorite|preferred {purpose:phrase} is {object:preference}",
    relation: "PREFERS",
    subject: "speaker",
    personal: true,
    examples: [["My favourite editor is Helix.", "user | PREFERS | Helix # editor"]],
    counterexamples: ["Is my favourite editor Helix?", "My favourite editor is not Helix."],
  },
];

const TERMINOLOGY: readonly RuleRow[] = [
  {
    pattern: "we call {object:pointed} {subject:pointed}",
    relation: "TERMINOLOGY_FOR",
    personal: true,
    examples: [["We call the nightly job the sweeper.", "sweeper | TERMINOLOGY_FOR | nightly job"]],
    counterexamples: ["We call the api every day.", "What do we call the nightly job?"],
  },
  {
    pattern: "we refer to {object:thing} as {subject:thing}",
    relation: "TERMINOLOGY_FOR",
    personal: true,
    examples: [["We refer to the proxy as the front.", "front | TERMINOLOGY_FOR | proxy"]],
    counterexamples: ["We refer to it as the front.", "We refer to the manual."],
  },
  {
    pattern: "when i|we say|write {subject:thing} ,? i|we mean {object:phrase}",
    relation: "TERMINOLOGY_FOR",
    personal: true,
    examples: [["When I say the monolith, I mean apps/legacy.", "monolith | TERMINOLOGY_FOR | apps/legacy"]],
    counterexamples: ["When I say stop, I mean it.", "When he says the monolith, he means apps/legacy."],
  },
  {
    pattern: "{subject:term} = {object:phrase}",
    relation: (subject, object) => (isAbbreviation(subject.name, object.name) ? "TERMINOLOGY_FOR" : undefined),
    personal: true,
    examples: [["CDC = change data capture", "CDC | TERMINOLOGY_FOR | change data capture"]],
    counterexamples: ["PORT = 3000 by default", "x = a long name"],
  },
  {
    pattern: "by {subject:thing} we|i mean {object:phrase}",
    relation: "TERMINOLOGY_FOR",
    personal: true,
    examples: [["By lane we mean one growing history.", "lane | TERMINOLOGY_FOR | one growing history"]],
    counterexamples: ["What do we mean by lane?", "I mean it."],
  },
  {
    pattern: "the? acronym|abbreviation|term|word? {subject:term} stands for {object:phrase}",
    relation: "TERMINOLOGY_FOR",
    personal: true,
    examples: [
      ["The acronym RPO stands for recovery point objective.", "RPO | TERMINOLOGY_FOR | recovery point objective"],
    ],
    counterexamples: ["A team's memory stands on PostgreSQL.", "What does RPO stand for?", "It stands for nothing."],
  },
  {
    pattern: "the? acronym|abbreviation|term|word? {subject:term} means|denotes {object:phrase}",
    relation: "TERMINOLOGY_FOR",
    personal: true,
    examples: [["SLO means service level objective.", "SLO | TERMINOLOGY_FOR | service level objective"]],
    counterexamples: [
      "This means we are late.",
      "The error means the port is taken.",
      "It means a lot.",
      "What does SLO mean?",
    ],
  },
  {
    pattern: "{subject:term} is short|shorthand for {object:phrase}",
    relation: "TERMINOLOGY_FOR",
    personal: true,
    examples: [["`gw` is short for gateway.", "gw | TERMINOLOGY_FOR | gateway"]],
    counterexamples: ["The text is short for a reason.", "It is short for gateway."],
  },
  {
    pattern: "{subject:term} is an|a|another|the? alias|synonym|nickname|name for|of {object:phrase}",
    relation: "ALIAS_OF",
    personal: true,
    examples: [["k8s is an alias for Kubernetes.", "k8s | ALIAS_OF | Kubernetes"]],
    counterexamples: ["Is k8s an alias for Kubernetes?", "It is an alias for Kubernetes."],
  },
];

export const PERSONAL_ROWS: readonly RuleRow[] = [...DECISIONS, ...PREFERENCES, ...TERMINOLOGY, ...OWNERSHIP_ROWS];
