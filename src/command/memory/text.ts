// Memories as text for people: rows of a list, one record whole, changes.
import { type MemoryChange, type MemoryRecord, shortIds } from "../../runtime/client/memory.ts";
import { originsText } from "../../schema/permission.ts";

/** Two lines each: what it is, then the whole fact. */
export function listText(records: readonly MemoryRecord[], now: number): string {
  const ids = records.map(({ id }) => id);
  const short = shortIds(ids, ids);
  return records
    .map((record) => {
      const { id, scope, repository, subject, verification, author, votes } = record;
      const where = scope === "user" ? "user" : `repository ${repository}`;
      const facts = [short.get(id) ?? id, where, subject, votesText(votes), CHECKED[verification], `by ${author.kind}`];
      return `${[...facts, age(record.createdAt, now), ...marks(record)].join("  ")}\n  ${record.fact}`;
    })
    .join("\n");
}

const CHECKED: Record<MemoryRecord["verification"], string> = {
  none: "cites no file",
  unverified: "not checked",
  verified: "cited files found",
  partial: "some cited files missing",
  stale: "cited files missing",
};
const FILE_STATES: Record<MemoryRecord["citations"][number]["state"], string> = {
  unchecked: "not checked",
  verified: "found",
  moved: "moved",
  changed: "changed",
  missing: "not found",
  unverifiable: "cannot be checked",
};
const SOURCES = { turn: "said in a session", url: "web page", user: "said by you", text: "note" };

const citedText = ({ raw, kind, state }: MemoryRecord["citations"][number]): string =>
  `${raw}  (${kind === "file" ? FILE_STATES[state] : SOURCES[kind]})`;

const STATES = { active: "in use", pending: "waiting for your review", deleted: "deleted" };

const statusText = ({ status }: MemoryRecord): string =>
  status.type === "superseded" ? `replaced by ${status.by}` : STATES[status.type];

/** The weakest source decides: your own words are trusted fully, a web page least. */
function trustText(trust: number): string {
  if (trust >= 1) return "full";
  return trust >= 0.8 ? "high" : trust >= 0.6 ? "medium" : "low";
}

const timesText = (count: number): string => (count === 0 ? "never" : count === 1 ? "once" : `${count} times`);

const votesText = ({ up, down }: MemoryRecord["votes"]): string => `+${up} -${down}`;

function marks(record: MemoryRecord): string[] {
  const { status, votes } = record;
  const state = status.type === "active" ? [] : [statusText(record)];
  return [...state, ...(votes.disputed ? ["disputed"] : [])].map((mark) => `[${mark}]`);
}

const DAY = 86_400_000;
const UNITS = [
  ["d", DAY],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

const JUST_NOW = "just now";

/** In its largest unit; a clock that went back makes nothing negative. */
export function age(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  const unit = UNITS.find(([, one]) => ms >= one);
  return unit ? `${Math.floor(ms / unit[1])}${unit[0]}` : JUST_NOW;
}

/** As people say when something was. */
export function ago(iso: string, now: number): string {
  const text = age(iso, now);
  return text === JUST_NOW ? text : `${text} ago`;
}

/** Every field, where it comes from, and what happened to it. */
export function recordText(record: MemoryRecord, history: readonly MemoryChange[]): string {
  const { source, author, votes, recalls } = record;
  const mine = votes.mine === null ? "" : `, you voted ${votes.mine === "upvote" ? "up" : "down"}`;
  const rows: [string, string][] = [
    ["id", record.id],
    ["subject", record.subject],
    ["fact", record.fact],
    ...record.citations.map((c): [string, string] => ["cited", citedText(c)]),
    ["reason", record.reason],
    ["scope", scopeText(record)],
    ["status", statusText(record)],
    ["version", String(record.version)],
    ["votes", `${votesText(votes)}${mine}${votes.disputed ? " (disputed: left out of prompts)" : ""}`],
    [
      "checked",
      `${CHECKED[record.verification]}${record.lastVerifiedAt === null ? "" : `, last ${record.lastVerifiedAt}`}`,
    ],
    ["created", record.createdAt],
    ["updated", record.updatedAt],
    ["recalled", `${timesText(recalls.count)}${recalls.lastAt === null ? "" : `, last ${recalls.lastAt}`}`],
    ["author", `${author.kind} ${author.name}`],
    ["client", source.client],
    ...(["sessionId", "turnId", "toolCallId", "agentId", "model"] as const).flatMap((key): [string, string][] =>
      source[key] === undefined ? [] : [[LABELS[key], source[key]]],
    ),
    ["comes from", originsText(source.origins)],
    ["trust", trustText(source.trust)],
  ];
  const lines = rows.map(([name, value]) => `${`${name}:`.padEnd(14)}${value}`);
  return [...lines, ...(history.length > 0 ? ["history:", ...history.map((c) => `  ${changeLine(c)}`)] : [])].join(
    "\n",
  );
}

/** Memories whose cited files are missing, with those files, then how many are fine. */
export function verifiedText(records: readonly MemoryRecord[]): string {
  const isGood = ({ verification }: MemoryRecord): boolean => verification === "verified" || verification === "none";
  const wrong = records.filter((record) => !isGood(record));
  const lines = wrong.map((record) => {
    const gone = record.citations.filter(({ kind, state }) => kind === "file" && state !== "verified");
    const files = gone.map(({ state, raw }) => `  ${FILE_STATES[state]}: ${raw}`);
    return [`${record.id}  ${CHECKED[record.verification]}  ${record.fact}`, ...files].join("\n");
  });
  const cited = records.filter(({ verification }) => verification === "verified").length;
  const none = records.length - wrong.length - cited;
  const sum = `${records.length} checked: ${cited} verified, ${wrong.length} with missing sources, ${none} citing no file.`;
  const next = wrong.length > 0 ? " Nothing was changed: use edit or delete." : "";
  return [...lines, sum + next].join("\n");
}

const LABELS = { sessionId: "session", turnId: "turn", toolCallId: "tool call", agentId: "agent", model: "model" };

export const changeLine = ({ id, at, action, actor, memory }: MemoryChange): string =>
  `${id}  ${at}  ${action}  ${memory}  by ${actor.kind}${actor.name === "" ? "" : ` ${actor.name}`}`;

/** For export: a section each. */
export const markdown = (records: readonly MemoryRecord[]): string =>
  ["# Memories", ...records.map((record) => `## ${record.subject}\n\n${indented(recordText(record, []))}`)].join(
    "\n\n",
  );

const indented = (text: string): string => text.replace(/^/gm, "    ");

/** Whom it is for. */
export const scopeText = ({ scope, repository }: MemoryRecord): string =>
  scope === "user" ? "for you, in every project" : `for ${repository}`;
