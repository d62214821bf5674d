// The week that the demo tells: a small team's service, its sessions, what they learned, and a fact that changed.

export const REPOSITORY = "github.com/acme/harbor";
export const BRANCH = "main";

/** Hours before now. */
export type DemoTurn = { prompt: string; tool?: [name: string, argument: string, output: string]; answer: string };
export type DemoSession = { title: string; hoursAgo: number; turns: DemoTurn[] };

const file = (name: string): string =>
  Array.from(
    { length: 90 },
    (_, i) => `${String(i + 1).padStart(3)}  ${name}: step ${i} of the berth plan, tide ${(i * 7) % 24}:00`,
  ).join("\n");
const read = (path: string, note = ""): [string, string, string] => ["read", path, `${note}\n${file(path)}`];

export const AGENT_SESSIONS: readonly DemoSession[] = [
  {
    title: "Make the berth planner survive a lost tide feed",
    hoursAgo: 150,
    turns: [
      {
        prompt: "The planner crashes when the tide feed is down. Where does that happen?",
        tool: read("src/plan/berth.ts"),
        answer:
          "`nextTide()` reads `feed.points[0]` without a check. With an empty feed it throws, and the whole plan is lost.",
      },
      {
        prompt: "Remember: we never plan without a tide. Keep the last known one for six hours.",
        tool: ["edit", "src/plan/berth.ts", "+18 -4"],
        answer: "Done: the last tide is kept for six hours, then berths are closed instead of planned.",
      },
      {
        prompt: "Run the tests.",
        tool: ["bash", "npm test", "Tests  214 passed (214)"],
        answer: "All 214 pass, two of them new.",
      },
    ],
  },
  {
    title: "Move sessions from Redis to PostgreSQL",
    hoursAgo: 101,
    turns: [
      {
        prompt: "Sessions live in Redis. Move them to PostgreSQL.",
        tool: read("src/session/store.ts"),
        answer: "The store has four calls. I will keep its interface and write a PostgreSQL one beside it.",
      },
      {
        prompt: "decision: sessions are stored in PostgreSQL from now on.",
        tool: ["edit", "src/session/postgres.ts", "+122 -0"],
        answer: "Noted, and the new store is in place behind `SESSION_STORE`.",
      },
      {
        prompt: "Ask a reviewer to look at the migration.",
        tool: ["task", "review the migration", "One finding: the index on `expires_at` is missing."],
        answer: "The reviewer found a missing index on `expires_at`; I added it.",
      },
    ],
  },
  {
    title: "Why is the nightly report late?",
    hoursAgo: 5,
    turns: [
      {
        prompt: "The nightly report was 40 minutes late. Find out why.",
        tool: read("src/report/nightly.ts", "// runs at 02:00"),
        answer: "It waits for the export, which now also writes thumbnails.",
      },
      {
        prompt: "Split the thumbnails off.",
        tool: ["edit", "src/export/job.ts", "+31 -9"],
        answer: "Thumbnails are a job of their own; the report no longer waits for them.",
      },
      {
        prompt: "Have somebody check that nothing else waits for them.",
        tool: ["task", "find what waits for thumbnails", "Only the gallery page, and it has its own cache."],
        answer: "Only the gallery page waits for thumbnails, and it has a cache of its own.",
      },
    ],
  },
];

export type DemoClient = {
  wire: "anthropic" | "openai-responses" | "gemini";
  session: string;
  hoursAgo: number;
  topic: string;
};
export const CLIENTS: readonly DemoClient[] = [
  { wire: "anthropic", session: "harbor-invoices", hoursAgo: 126, topic: "invoices" },
  { wire: "openai-responses", session: "harbor-login", hoursAgo: 76, topic: "login" },
  { wire: "gemini", session: "harbor-maps", hoursAgo: 29, topic: "maps" },
  { wire: "anthropic", session: "harbor-search", hoursAgo: 2, topic: "search" },
];
export const TURNS_OF_A_CLIENT = 12;

export const promptOf = ({ topic }: DemoClient, n: number): string =>
  n === TURNS_OF_A_CLIENT - 1
    ? `Which port did we give the ${topic} worker in the first file?`
    : `Look at part ${n + 1} of the ${topic} code and tell me what is odd about it.`;
export const outputOf = ({ topic }: DemoClient, n: number): string =>
  `src/${topic}/part-${n + 1}.ts\nthe ${topic} worker ${n + 1} listens on port ${7100 + n}\n${file(`${topic}-${n + 1}`)}`;
export const ANSWER = "It repeats a lookup that the caller has done already; the rest is as it should be.";

export const MEMORIES: readonly { fact: string; subject: string; cite: string; hoursAgo: number; pending?: true }[] = [
  {
    fact: "The planner keeps the last tide for six hours and closes berths after that.",
    subject: "berth planner",
    cite: "src/plan/berth.ts:41-58",
    hoursAgo: 149,
  },
  {
    fact: "Run npm test before every push; CI only runs the slow half.",
    subject: "testing",
    cite: "package.json:12",
    hoursAgo: 130,
  },
  {
    fact: "Sessions are stored in PostgreSQL behind SESSION_STORE.",
    subject: "session store",
    cite: "src/session/postgres.ts:1-20",
    hoursAgo: 100,
  },
  {
    fact: "Invoices are rounded to whole cents per line, not per total.",
    subject: "invoices",
    cite: "src/invoice/round.ts:8",
    hoursAgo: 90,
  },
  {
    fact: "We deploy on Tuesdays and Thursdays before noon.",
    subject: "deployment",
    cite: "docs/deploy.md:3",
    hoursAgo: 52,
  },
  {
    fact: "The map tiles come from the harbour office and must not be cached for longer than a day.",
    subject: "maps",
    cite: "src/map/tile.ts:30",
    hoursAgo: 28,
  },
  {
    fact: "Thumbnails are a job of their own; the nightly report does not wait for them.",
    subject: "nightly report",
    cite: "src/export/job.ts:5",
    hoursAgo: 4,
    pending: true,
  },
];

/** Mira changes jobs in the middle of the week: the first fact ends when the second begins. */
export const FACTS: readonly { subject: string; relation: string; object: string; text: string; daysAgo: number }[] = [
  { subject: "Mira", relation: "WORKS_AT", object: "Acme", text: "Mira works at Acme.", daysAgo: 6 },
  {
    subject: "Mira",
    relation: "WORKS_AT",
    object: "Harbour Office",
    text: "Mira works at the Harbour Office.",
    daysAgo: 2,
  },
  {
    subject: "harbor",
    relation: "USES",
    object: "PostgreSQL",
    text: "harbor uses PostgreSQL for its sessions.",
    daysAgo: 4,
  },
  {
    subject: "harbor",
    relation: "DEPENDS_ON",
    object: "tide feed",
    text: "harbor depends on the tide feed.",
    daysAgo: 6,
  },
  {
    subject: "nightly report",
    relation: "PART_OF",
    object: "harbor",
    text: "The nightly report is part of harbor.",
    daysAgo: 1,
  },
];

export const BOARD: readonly {
  src: "user" | "agent";
  name: string;
  description: string;
  content: string;
  hoursAgo: number;
}[] = [
  {
    src: "user",
    name: "release-steps",
    description: "how a release is made",
    content: "1. npm test\n2. npm run bench\n3. tag, then tell Mira",
    hoursAgo: 140,
  },
  {
    src: "agent",
    name: "tide-feed",
    description: "what happens when the tide feed is down",
    content: "The last tide counts for six hours; then berths close.",
    hoursAgo: 99,
  },
  {
    src: "agent",
    name: "session-store",
    description: "where sessions are kept and how to switch",
    content: "`SESSION_STORE=postgres` or `redis`; the interface is src/session/store.ts.",
    hoursAgo: 98,
  },
];

export const NOTES: readonly { summary: string; content: string; hoursAgo: number }[] = [
  {
    summary: "Two earlier sessions touched the export job",
    content: "Sessions of last week changed `src/export/job.ts` for the same reason; see the note on thumbnails.",
    hoursAgo: 4.9,
  },
  {
    summary: "The report's deadline is in docs/deploy.md",
    content: "docs/deploy.md says that the report must be there at 03:00.",
    hoursAgo: 4.8,
  },
];
