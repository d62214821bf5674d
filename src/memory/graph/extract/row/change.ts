// Values and states, and how they change: "X is now Y", "moved from A to B", renames and replacements.
import type { EntityDraft } from "../draft.ts";
import { WE } from "../noun.ts";
import type { RelationName } from "../relation.ts";
import { ATTRIBUTES, PRODUCTS, SERVICE_HEADS, WEEKDAYS } from "../word-list.ts";
import type { RuleRow } from "./row.ts";

const isValue = ({ name }: EntityDraft): boolean => /^\W?\d/.test(name) || WEEKDAYS.has(name.toLowerCase());
const headOf = ({ name }: EntityDraft): string => name.toLowerCase().split(" ").at(-1) ?? "";
const hasValue = (entity: EntityDraft): boolean => ATTRIBUTES.has(headOf(entity));
/** What moves from one place to another, although people also say what it is. */
const isPlaced = (entity: EntityDraft): boolean =>
  headOf(entity) === "office" || (SERVICE_HEADS.has(headOf(entity)) && headOf(entity) !== "endpoint");

/** A place where people live has a name; who moves to "the platform team" has moved nowhere. */
const isHome = ({ name, label }: EntityDraft): boolean => label === "Term" && /(?:^|\s)\p{Lu}\S*$/u.test(name);
const isPlace = (entity: EntityDraft): boolean => isHome(entity) && !PRODUCTS.has(entity.name.toLowerCase());

/** Who moves has a new home, a team a new tool, a value a new value, a thing a new place. */
const move = (subject: EntityDraft, object: EntityDraft): RelationName => {
  if (subject === WE) return "USES";
  if (subject.label === "User") return "LIVES_IN";
  return isValue(object) || (hasValue(subject) && !isPlaced(subject)) ? "HAS_VALUE" : "LOCATED_AT";
};

export const CHANGE_ROWS: readonly RuleRow[] = [
  {
    pattern: "the? status|state of {subject:topic} is|are {object:condition}",
    relation: "HAS_STATUS",
    examples: [["The status of checkout is red.", "checkout | HAS_STATUS | red"]],
    counterexamples: ["What is the status of checkout?", "The status of checkout is not red."],
  },
  {
    pattern: "{subject:topic} status is {object:condition}",
    relation: "HAS_STATUS",
    examples: [["ABC-7 status is blue.", "ABC-7 | HAS_STATUS | blue"]],
    counterexamples: ["The status is fine.", "ABC-7 status is probably blue."],
  },
  {
    pattern: "{subject:topic} is|are {object:state}",
    relation: "HAS_STATUS",
    examples: [
      ["The build is now green.", "build | HAS_STATUS | green"],
      ["PR #12 is merged.", "#12 | HAS_STATUS | merged"],
      ["The cache is no longer stale.", "- cache | HAS_STATUS | stale"],
      ["The nightly job is disabled until the runner is fixed.", "nightly job | HAS_STATUS | disabled"],
      ["moment is deprecated.", "moment | HAS_STATUS | deprecated"],
    ],
    counterexamples: [
      "The build is slow.",
      "It is done.",
      "Is the build green?",
      "The build is not green.",
      "Until the audit is over the branch is not open.",
      "The thing is broken.",
    ],
  },
  {
    pattern: "{subject:topic} was|were|got {object:event}",
    relation: "HAS_STATUS",
    examples: [["PR #41 was merged yesterday.", "#41 | HAS_STATUS | merged"]],
    counterexamples: [
      "The build was green.",
      "PR #41 was never merged.",
      "Was PR #41 merged?",
      "The old api was enabled until we removed it.",
    ],
  },
  {
    pattern: "i|we {object:event} {subject:creation} …",
    relation: "HAS_STATUS",
    examples: [["I closed #12 as a duplicate.", "#12 | HAS_STATUS | closed"]],
    counterexamples: ["I closed the door.", "I have not closed #12.", "We almost merged #12."],
  },
  {
    pattern: "{subject:topic} has|have been {object:event}",
    relation: "HAS_STATUS",
    examples: [["The v1 api has been deprecated.", "v1 api | HAS_STATUS | deprecated"]],
    counterexamples: ["The v1 api has not been deprecated.", "It has been fixed."],
  },
  {
    pattern: "{subject:attribute} is|are|equals {object:value}",
    relation: "HAS_VALUE",
    examples: [
      ["The request timeout is 30 seconds.", "request timeout | HAS_VALUE | 30 seconds"],
      ["The port of the gateway is 7070.", "gateway port | HAS_VALUE | 7070"],
      ["My timezone is Europe/Berlin.", "user's timezone | HAS_VALUE | Europe/Berlin"],
    ],
    counterexamples: ["The port is not 9090.", "The port was 8080.", "The port is wrong.", "The port should be 9090."],
  },
  {
    pattern: "{subject:attribute} is|are {object:value} not {other:value}",
    relation: "HAS_VALUE",
    examples: [["Our db is postgres 15 not mysql.", "db | HAS_VALUE | postgres 15"]],
    counterexamples: ["Our db is not postgres 15.", "Is our db postgres 15 not mysql?"],
  },
  {
    pattern: "{subject:attribute} changed|moved|switched|rose|went|grew to {object:value}",
    relation: "HAS_VALUE",
    examples: [
      ["The staging URL changed to https://stage.acme.dev.", "staging URL | HAS_VALUE | https://stage.acme.dev"],
    ],
    counterexamples: ["The budget went to waste.", "The port never changed to 9090.", "It changed to 9090."],
  },
  {
    pattern: "i|we? raised|lowered|increased|decreased|reduced|changed|bumped {subject:attribute} to {object:value}",
    relation: "HAS_VALUE",
    examples: [["We raised the request timeout to 30s.", "request timeout | HAS_VALUE | 30s"]],
    counterexamples: [
      "set the request timeout to 30s",
      "We should have raised the timeout to 30s.",
      "We never raised the timeout to 30s.",
    ],
  },
  {
    pattern: "{subject:topic} is|are {object:value}",
    relation: "HAS_VALUE",
    now: true,
    examples: [["The API's rate limit is now 500.", "API rate limit | HAS_VALUE | 500"]],
    counterexamples: ["Is the port now 9090?", "The port is now over 9000.", "It is now 5 o'clock."],
  },
  {
    pattern: "{subject:topic} is|are at|on version {object:value}",
    relation: "HAS_VALUE",
    attribute: "version",
    examples: [["The search index is now at version 7.", "search index version | HAS_VALUE | 7"]],
    counterexamples: [
      "It is at version 7.",
      "The search index is not at version 7.",
      "The index is on version control.",
    ],
  },
  {
    pattern: "{subject:topic} became {object:value}",
    relation: "HAS_VALUE",
    examples: [["The default became 20.", "default | HAS_VALUE | 20"]],
    counterexamples: ["It became 20.", "The default never became 20."],
  },
  {
    pattern:
      "{subject:topic} is|are|was|were? set|raised|lowered|increased|decreased|reduced|changed|bumped|updated|upgraded|downgraded|went|rose|grew from {before:target} to {object:target}",
    relation: "HAS_VALUE",
    examples: [
      [
        "The rate limit changed from 100 to 250 requests.",
        "rate limit | HAS_VALUE | 250 requests",
        "- rate limit | HAS_VALUE | 100",
      ],
      ["The timeout was raised from 5 s to 10 s.", "timeout | HAS_VALUE | 10 s", "- timeout | HAS_VALUE | 5 s"],
    ],
    counterexamples: ["The rate limit never changed from 100 to 250.", "It went from bad to worse."],
  },
  {
    pattern: "{subject:attribute} is|are set to {object:value}",
    relation: "HAS_VALUE",
    examples: [["The request timeout is set to 30 s.", "request timeout | HAS_VALUE | 30 s"]],
    counterexamples: ["The `status` property is set to `400`.", "The timeout is not set to 30 s."],
  },
  {
    pattern:
      "{subject:topic} was|were set|raised|lowered|increased|decreased|reduced|changed|bumped|updated|upgraded|downgraded to {object:value}",
    relation: "HAS_VALUE",
    examples: [["The timeout was raised to 60 seconds.", "timeout | HAS_VALUE | 60 seconds"]],
    counterexamples: ["The timeout should be raised to 60 seconds.", "It was changed to 60."],
  },
  {
    pattern:
      "i|we? raised|lowered|increased|decreased|reduced|changed|bumped|bumps|updated|upgraded|downgraded {subject:topic} from {before:value} to {object:value} …",
    relation: "HAS_VALUE",
    examples: [
      ["I bumped zod from 3.22 to 4.6 in the app.", "zod | HAS_VALUE | 4.6", "- zod | HAS_VALUE | 3.22"],
      ["chore(deps): bump vite from 5.0 to 5.4", "vite | HAS_VALUE | 5.4", "- vite | HAS_VALUE | 5.0"],
    ],
    counterexamples: [
      "bump zod from 3.22 to 4.6",
      "I never bumped zod from 3.22 to 4.6.",
      "Should I have bumped zod from 3 to 4?",
    ],
  },
  {
    pattern: "we|i? moved|migrated|switched|changed from {before:things} to {object:things} …",
    relation: "USES",
    subject: "we",
    examples: [["We moved from Jest to Vitest.", "workspace | USES | Vitest", "- workspace | USES | Jest"]],
    counterexamples: [
      "We never moved from Jest to Vitest.",
      "We might move from Jest to Vitest.",
      "Why did we move from A to B?",
    ],
  },
  {
    pattern: "we switched|switch|migrated to {object:names} …",
    relation: "USES",
    subject: "we",
    examples: [["We switched to Svelte.", "workspace | USES | Svelte"]],
    counterexamples: ["We did not switch to Svelte."],
  },
  {
    pattern: "we moved to {object:names} …",
    relation: (_, object) => (object.label === "File" || isPlace(object) ? undefined : "USES"),
    subject: "we",
    examples: [["We moved to Svelte.", "workspace | USES | Svelte"]],
    counterexamples: ["We moved to the next room.", "We moved to src/ last week.", "We moved to Lisbon."],
  },
  {
    pattern: "{subject:topics} switched|migrated to {object:names} …",
    relation: "USES",
    examples: [["The frontend switched to Svelte.", "frontend | USES | Svelte"]],
    counterexamples: ["The frontend has not switched to Svelte.", "The frontend switched to a crawl."],
  },
  {
    pattern: "{subject:topics} switched|migrated from {before:things} to {object:things} …",
    relation: "USES",
    examples: [["The api migrated from Express to Hono.", "api | USES | Hono", "- api | USES | Express"]],
    counterexamples: ["The api will be migrated from Express to Hono.", "It migrated from A to B."],
  },
  {
    pattern: "{subject:person} moved from {before:name} to {object:name} …",
    relation: (_, object) => (isHome(object) ? "LIVES_IN" : undefined),
    examples: [["Alice moved from Paris to Madrid.", "Alice | LIVES_IN | Madrid", "- Alice | LIVES_IN | Paris"]],
    counterexamples: ["Alice moved from one chair to another.", "Alice could have moved from Paris to Madrid."],
  },
  {
    pattern: "{subject:person} moved to {object:place} …",
    relation: (subject, object) =>
      subject === WE || /^user$/i.test(subject.name) || !isHome(object) ? undefined : "LIVES_IN",
    examples: [["Bob moved to Tokyo.", "Bob | LIVES_IN | Tokyo"]],
    counterexamples: [
      "I moved on to the next task.",
      "Bob moved to strike.",
      "Bob wants to move to Tokyo.",
      "Bob moved to the Payments team.",
    ],
  },
  {
    pattern: "{subject:topic} was|were? moved from {before:target} to {object:target} …",
    relation: move,
    examples: [
      ["The deadline moved from Friday to Monday.", "deadline | HAS_VALUE | Monday", "- deadline | HAS_VALUE | Friday"],
      ["The docs moved from the wiki to `docs/`.", "docs | LOCATED_AT | docs/", "- docs | LOCATED_AT | wiki"],
      [
        "Our database was moved from us-east-1 to eu-west-1 last weekend.",
        "database | LOCATED_AT | eu-west-1",
        "- database | LOCATED_AT | us-east-1",
      ],
    ],
    counterexamples: ["It moved from A to B.", "The deadline should be moved from Friday to Monday."],
  },
  {
    pattern: "i|we? moved {subject:topic} from {before:target} to {object:target} …",
    relation: move,
    examples: [
      ["We moved the docs from the wiki to `docs/`.", "docs | LOCATED_AT | docs/", "- docs | LOCATED_AT | wiki"],
    ],
    counterexamples: ["We moved it from A to B.", "We wanted to move the docs from the wiki to `docs/`."],
  },
  {
    pattern: "i|we? renamed {subject:topic} to {object:thing}",
    relation: "NAMED",
    examples: [["I renamed `getUser` to `loadUser`.", "getUser | NAMED | loadUser"]],
    counterexamples: ["Please rename `getUser` to `loadUser`.", "I have not renamed `getUser` to `loadUser`."],
  },
  {
    pattern: "{subject:topic} is|was|were renamed to {object:thing}",
    relation: "NAMED",
    examples: [["The `users` table was renamed to `accounts`.", "users table | NAMED | accounts"]],
    counterexamples: ["It was renamed to `accounts`.", "The table should be renamed to `accounts`."],
  },
  {
    pattern: "we replaced|swapped {before:things} with|for|by {object:things} …",
    relation: "USES",
    subject: "we",
    examples: [["We replaced Moment with date-fns.", "workspace | USES | date-fns", "- workspace | USES | Moment"]],
    counterexamples: ["We replaced it with date-fns.", "We have not replaced Moment with date-fns."],
  },
  {
    pattern: "we ditched|dropped|traded|swapped|abandoned {before:names} for {object:names} …",
    relation: "USES",
    subject: "we",
    examples: [["We ditched webpack for vite.", "workspace | USES | vite", "- workspace | USES | webpack"]],
    counterexamples: ["We dropped support for Node 16.", "We never dropped webpack for vite."],
  },
  {
    pattern: "we dropped|drop|removed|ditched|abandoned {object:names} …",
    relation: "USES",
    subject: "we",
    ends: true,
    examples: [["We dropped Internet Explorer.", "- workspace | USES | Internet Explorer"]],
    counterexamples: ["We dropped the ball.", "We never dropped Internet Explorer."],
  },
];
