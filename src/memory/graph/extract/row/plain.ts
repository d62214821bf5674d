// Plain clauses: who lives and works where, what uses, needs and holds what, what is called how.
import type { EntityDraft } from "../draft.ts";
import { WE } from "../noun.ts";
import type { RelationName } from "../relation.ts";
import { HOSTS, PRODUCTS, TOOLS } from "../word-list.ts";
import type { RuleRow } from "./row.ts";

const use = (subject: EntityDraft, object: EntityDraft): RelationName =>
  subject.label === "Procedure" && (object.label === "Tool" || TOOLS.has(object.name.toLowerCase()))
    ? "USES_TOOL"
    : "USES";
const RUNTIME = /^(?:node|python|java|deno|bun|php|ruby|linux|windows|macos|jvm|dotnet|\.net)\b/i;
const isUsed = (name: string): boolean => RUNTIME.test(name) || (PRODUCTS.has(name.toLowerCase()) && !isHost(name));
const isHost = (name: string): boolean => HOSTS.has(name.toLowerCase());
const host = (_: EntityDraft, object: EntityDraft): RelationName => (isUsed(object.name) ? "USES" : "LOCATED_AT");
const source = (_: EntityDraft, object: EntityDraft): RelationName => (object.label === "File" ? "LOCATED_AT" : "USES");

const VERSION = / v?\d[\d.x]*$/;
/** What something "is on": a host, or a version of what it uses. */
const platform = (subject: EntityDraft, object: EntityDraft): RelationName | undefined => {
  if (subject !== WE && isHost(object.name)) return "LOCATED_AT";
  return subject.label !== "User" && VERSION.test(object.name) ? "USES" : undefined;
};

export const PLAIN_ROWS: readonly RuleRow[] = [
  {
    pattern: "my name is {object:name}",
    relation: "NAMED",
    subject: "speaker",
    examples: [["My name is Ada.", "user | NAMED | Ada"]],
    counterexamples: ["My name is not Ada.", "Is my name Ada?"],
  },
  {
    pattern: "i am {object:forename}",
    relation: "NAMED",
    subject: "speaker",
    examples: [["I'm Tobias, I have a question.", "user | NAMED | Tobias"]],
    counterexamples: ["I'm German.", "I am Done.", "Am I Tobias?", "I'm not Tobias.", "I'm QA.", "I am Linux only."],
  },
  {
    pattern: "call me {object:name}",
    relation: "NAMED",
    subject: "speaker",
    examples: [["Call me Sam.", "user | NAMED | Sam"]],
    counterexamples: ["Call me later.", "Call me if it breaks."],
  },
  {
    pattern: "{subject:people} live|lives|reside|resides in {object:place} …",
    relation: "LIVES_IN",
    examples: [
      ["Alice lives in Berlin.", "Alice | LIVES_IN | Berlin"],
      ["I live in New York with my dog.", "user | LIVES_IN | New York"],
      ["Ann no longer lives in Rome.", "- Ann | LIVES_IN | Rome"],
      ["My colleague Pedro lives in Braga.", "Pedro | LIVES_IN | Braga"],
      ["Marco used to live in Milan.", "- Marco | LIVES_IN | Milan"],
    ],
    counterexamples: [
      "Alice lived in Berlin.",
      "Alice lives in fear.",
      "Does Alice live in Berlin?",
      "You live in Berlin.",
    ],
  },
  {
    pattern: "{subject:people} am|is|are based in {object:place} …",
    relation: "LIVES_IN",
    examples: [["I'm based in Vienna.", "user | LIVES_IN | Vienna"]],
    counterexamples: ["The estimate is based in part on guesses.", "Ann may be based in Vienna."],
  },
  {
    pattern: "{subject:people} work|works at|for {object:place} …",
    relation: "WORKS_AT",
    examples: [
      ["Bob works at Acme.", "Bob | WORKS_AT | Acme"],
      ["Dana and Eli work for Hooli.", "Dana | WORKS_AT | Hooli", "Eli | WORKS_AT | Hooli"],
      ["I no longer work at Initech.", "- user | WORKS_AT | Initech"],
    ],
    counterexamples: [
      "Bob works at night.",
      "That works for me.",
      "Bob might work at Acme.",
      "I think Bob works at Acme.",
    ],
  },
  {
    pattern: "{subject:people} joined {object:name} …",
    relation: "WORKS_AT",
    examples: [["Carol joined Globex.", "Carol | WORKS_AT | Globex"]],
    counterexamples: ["Carol joined the call.", "Carol joined late."],
  },
  {
    pattern: "{subject:people} am|is|are|'s at {object:name}",
    relation: "WORKS_AT",
    now: true,
    examples: [
      ["Sam's at Datadog these days.", "Sam | WORKS_AT | Datadog"],
      ["Alice left Acme, she is at Globex now.", "- Alice | WORKS_AT | Acme", "Alice | WORKS_AT | Globex"],
    ],
    counterexamples: ["Sam is at lunch now.", "Sam is at Datadog.", "Maybe Sam is at Datadog now."],
  },
  {
    pattern: "{subject:people} left {object:name} …",
    relation: "WORKS_AT",
    ends: true,
    examples: [["Alice left Acme in January.", "- Alice | WORKS_AT | Acme"]],
    counterexamples: ["Alice left a comment.", "Alice left early."],
  },
  {
    pattern: "{subject:subjects} use|uses {object:things} instead of {before:things} …",
    relation: use,
    examples: [["We use pnpm instead of npm.", "workspace | USES | pnpm", "- workspace | USES | npm"]],
    counterexamples: ["Should we use pnpm instead of npm?", "We could use pnpm instead of npm."],
  },
  {
    pattern: "{subject:subjects} use|uses|adopt|adopts {object:things} …",
    relation: use,
    examples: [
      ["The billing service uses Redis as a cache.", "billing service | USES | Redis"],
      ["We're using Vite for the build.", "workspace | USES | Vite"],
      ["This project uses SQLite and Redis.", "workspace | USES | SQLite", "workspace | USES | Redis"],
      ["The release procedure uses `gh`.", "release procedure | USES_TOOL | gh"],
      ["We stopped using Webpack.", "- workspace | USES | Webpack"],
      ["The importer used to use Tika.", "- importer | USES | Tika"],
      ["We use integer cents everywhere.", "workspace | USES | integer cents"],
    ],
    counterexamples: [
      "It uses Redis.",
      "Use Redis.",
      "If we used Redis it would be faster.",
      "We do not use Redis.",
      "We should use Redis.",
      "Bob said the api uses Redis.",
      "You use too many commas.",
      "We were using Redis.",
      "We are not using Redis.",
      "TODO: the api uses Redis.",
      "Option B uses polling.",
      "- [ ] the api uses Redis",
    ],
  },
  {
    pattern: "{subject:topics} is|are written|built|implemented in|with|on {object:location} …",
    relation: source,
    examples: [
      ["Our frontend is written in TypeScript.", "frontend | USES | TypeScript"],
      ["The rate limiter is implemented in `src/limit.ts`.", "rate limiter | LOCATED_AT | src/limit.ts"],
    ],
    counterexamples: ["The note is written in haste.", "The tool was written in anger."],
  },
  {
    pattern:
      "{subject:topics} is|are hosted|deployed|located|stored|defined|declared|kept on|in|at|to|under {object:location} …",
    relation: "LOCATED_AT",
    examples: [
      ["The staging database is hosted on Neon.", "staging database | LOCATED_AT | Neon"],
      ["The parser is defined in `src/parse.ts`.", "parser | LOCATED_AT | src/parse.ts"],
    ],
    counterexamples: ["Is the database hosted on Neon?", "The database is not hosted on Neon."],
  },
  {
    pattern: "{subject:topics} live|lives|sit|sits|resides in|at|under|on {object:location} …",
    relation: "LOCATED_AT",
    examples: [
      ["The docs live in `docs/`.", "docs | LOCATED_AT | docs/"],
      ["Grafana lives at grafana.internal:3000.", "Grafana | LOCATED_AT | grafana.internal:3000"],
    ],
    counterexamples: ["My code lives in fear.", "It lives in `docs/`."],
  },
  {
    pattern: "{subject:topics} is|are in|under|at {object:file}",
    relation: "LOCATED_AT",
    examples: [["The retry logic is in src/net/retry.ts.", "retry logic | LOCATED_AT | src/net/retry.ts"]],
    counterexamples: ["The bug is in src/net/retry.ts.", "The retry logic is in bad shape."],
  },
  {
    pattern: "{subject:topics} is|are at|under {object:url}",
    relation: "LOCATED_AT",
    examples: [
      ["The handbook is at https://docs.acme.dev/book.", "handbook | LOCATED_AT | https://docs.acme.dev/book"],
    ],
    counterexamples: ["Is the handbook at https://docs.acme.dev/book?", "It is at https://docs.acme.dev/book."],
  },
  {
    pattern: "{subject:topic} run|runs|listen|listens on port {object:number} instead of {before:number}",
    relation: "HAS_VALUE",
    attribute: "port",
    examples: [
      [
        "The server now listens on port 4100 instead of 4000.",
        "server port | HAS_VALUE | 4100",
        "- server port | HAS_VALUE | 4000",
      ],
    ],
    counterexamples: ["Should the server listen on port 4100 instead of 4000?", "It listens on port 1 instead of 2."],
  },
  {
    pattern: "{subject:topic} run|runs|listen|listens on port {object:number} …",
    relation: "HAS_VALUE",
    attribute: "port",
    examples: [["The api listens on port 8080.", "api port | HAS_VALUE | 8080"]],
    counterexamples: ["Does the api listen on port 8080?", "The api should listen on port 8080."],
  },
  {
    pattern: "{subject:topics} run|runs on|in {object:location} …",
    relation: host,
    examples: [
      ["The gateway runs on Fly.io.", "gateway | LOCATED_AT | Fly.io"],
      ["The worker runs on Node 22.", "worker | USES | Node 22"],
      ["The search runs on Elasticsearch.", "search | USES | Elasticsearch"],
    ],
    counterexamples: ["The office runs on coffee.", "The job runs in parallel.", "The build runs on the same box."],
  },
  {
    pattern: "{subject:subjects} am|is|are on {object:names} …",
    relation: platform,
    examples: [
      ["We're on Postgres 16.", "workspace | USES | Postgres 16"],
      ["Prod is on fly.io already.", "Prod | LOCATED_AT | fly.io"],
      ["The app is still on react 18.", "app | USES | react 18"],
    ],
    counterexamples: ["Omar is on vacation.", "We are on Monday.", "The link is on Slack.", "I am on Windows."],
  },
  {
    pattern: "{subject:topics} run|runs|go|goes|happen|happens through|via {object:names} …",
    relation: "USES",
    examples: [["Migrations run through Flyway.", "Migrations | USES | Flyway"]],
    counterexamples: ["The road runs through town.", "It runs through Flyway."],
  },
  {
    pattern: "{subject:topics} is|are managed|bundled|tested|linted|formatted|monitored with {object:names} …",
    relation: "USES",
    examples: [["The fleet is managed with Ansible.", "fleet | USES | Ansible"]],
    counterexamples: ["The crisis is managed with care.", "The fleet is managed by Ann."],
  },
  {
    pattern: "{subject:subjects} depend|depends|rely|relies on|upon {object:things} instead of {before:things}",
    relation: "DEPENDS_ON",
    examples: [
      [
        "The thumbnailer depends on libvips instead of ImageMagick.",
        "thumbnailer | DEPENDS_ON | libvips",
        "- thumbnailer | DEPENDS_ON | ImageMagick",
      ],
    ],
    counterexamples: ["Should it depend on libvips instead of ImageMagick?", "We could depend on Go instead of Rust."],
  },
  {
    pattern: "{subject:subjects} depend|depends|rely|relies on|upon {object:things} …",
    relation: "DEPENDS_ON",
    examples: [
      ["The worker depends on the queue.", "worker | DEPENDS_ON | queue"],
      ["The api no longer depends on lodash.", "- api | DEPENDS_ON | lodash"],
      ["ABC-12 depends on ABC-10.", "ABC-12 | DEPENDS_ON | ABC-10"],
    ],
    counterexamples: ["It depends on the weather.", "That depends on you.", "The worker does not depend on the queue."],
  },
  {
    pattern: "{subject:topics} require|requires {object:things}",
    relation: "DEPENDS_ON",
    examples: [["The importer requires Python 3.12.", "importer | DEPENDS_ON | Python 3.12"]],
    counterexamples: [
      "This requires patience.",
      "The standard requires clients to close.",
      "The importer may require Python.",
    ],
  },
  {
    pattern: "{subject:topics} need|needs {object:names}",
    relation: "DEPENDS_ON",
    examples: [["The worker needs Redis.", "worker | DEPENDS_ON | Redis"]],
    counterexamples: ["The worker needs attention.", "We need help."],
  },
  {
    pattern: "{subject:code} imports {object:codes} …",
    relation: "DEPENDS_ON",
    examples: [["`server.ts` imports `router.ts`.", "server.ts | DEPENDS_ON | router.ts"]],
    counterexamples: ["The country imports oil.", "`server.ts` never imports `router.ts`."],
  },
  {
    pattern: "{subject:topic} is|are called|named {object:name}",
    relation: "NAMED",
    examples: [["The scheduler is called Metronome.", "scheduler | NAMED | Metronome"]],
    counterexamples: [
      "The function is called twice.",
      "What is the scheduler called?",
      "The variable is called apiPort.",
    ],
  },
  {
    pattern: "{subject:topics} applies|apply to {object:things}",
    relation: "APPLIES_TO",
    examples: [["The no-mocks rule applies to this repo.", "no-mocks rule | APPLIES_TO | workspace"]],
    counterexamples: ["Bob applies to Google.", "This applies to you.", "The rule does not apply to this repo."],
  },
];
