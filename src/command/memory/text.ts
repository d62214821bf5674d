// Memories as text for people: rows of a list, one record whole, changes.
import { type MemoryChange, type MemoryRecord, shortIds } from "../../runtime/client/memory.ts";

/** Two lines each: what it is, then the whole fact. */
export function listText(records: readonly MemoryRecord[], now: number): string {
  const ids = records.map(({ id }) => id);
  const short = shortIds(ids, ids);
  return records
    .map((record) => {
      const { id, scope, repository, subject, verification, author, votes } = record;
      const where = scope === "user" ? "user" : `repository ${repository}`;
      const facts = [short.get(id) ?? id, where, subject, votesText(votes), verification, author.kind];
      return `${[...facts, age(record.createdAt, now), ...marks(record)].join("  ")}\n  ${record.fact}`;
    })
    .join("\n");
}

const votesText = ({ up, down }: MemoryRecord["votes"]): string => `+${up} -${down}`;

function marks({ status, votes }: MemoryRecord): string[] {
  const state =
    status.type === "active" ? [] : [status.type === "superseded" ? `superseded by ${status.by}` : status.type];
  return [...state, ...(votes.disputed ? ["disputed"] : [])].map((mark) => `[${mark}]`);
}

const DAY = 86_400_000;
const UNITS = [
  ["d", DAY],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** In its largest unit; a clock that went back makes nothing negative. */
export function age(iso: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(iso));
  const [name, size] = UNITS.find(([, one]) => ms >= one) ?? ["min", 60_000];
  return `${Math.floor(ms / size)}${name}`;
}

/** Every field, where it comes from, and what happened to it. */
export function recordText(record: MemoryRecord, history: readonly MemoryChange[]): string {
  const { source, author, votes, recalls } = record;
  const mine = votes.mine === null ? "" : `, yours: ${votes.mine}`;
  const rows: [string, string][] = [
    ["id", record.id],
    ["subject", record.subject],
    ["fact", record.fact],
    ...record.citations.map((c): [string, string] => ["cited", `${c.raw}  (${c.kind}, ${c.state})`]),
    ["reason", record.reason],
    ["scope", record.scope],
    ["repository", record.repository ?? "none (for every project)"],
    [
      "status",
      [record.status.type, ...(record.status.type === "superseded" ? [`by ${record.status.by}`] : [])].join(" "),
    ],
    ["version", String(record.version)],
    ["votes", `${votesText(votes)}${mine}${votes.disputed ? " (disputed: kept out of prompts)" : ""}`],
    [
      "verification",
      `${record.verification}${record.lastVerifiedAt === null ? "" : `, last ${record.lastVerifiedAt}`}`,
    ],
    ["created", record.createdAt],
    ["updated", record.updatedAt],
    ["recalled", `${recalls.count} times${recalls.lastAt === null ? "" : `, last ${recalls.lastAt}`}`],
    ["author", `${author.kind} ${author.name}`],
    ["client", source.client],
    ...(["sessionId", "turnId", "toolCallId", "agentId", "model"] as const).flatMap((key): [string, string][] =>
      source[key] === undefined ? [] : [[LABELS[key], source[key]]],
    ),
    ["origins", source.origins.map(({ kind, ref }) => (ref === undefined ? kind : `${kind} (${ref})`)).join(", ")],
    ["trust", String(source.trust)],
  ];
  const lines = rows.map(([name, value]) => `${`${name}:`.padEnd(14)}${value}`);
  return [...lines, ...(history.length > 0 ? ["history:", ...history.map((c) => `  ${changeLine(c)}`)] : [])].join(
    "\n",
  );
}

/** Those that do not hold with what is wrong, then how many do. */
export function verifiedText(records: readonly MemoryRecord[]): string {
  const isGood = ({ verification }: MemoryRecord): boolean => verification === "verified" || verification === "none";
  const wrong = records.filter((record) => !isGood(record));
  const lines = wrong.map((record) => {
    const gone = record.citations.filter(({ kind, state }) => kind === "file" && state !== "verified");
    return [`${record.id}  ${record.verification}  ${record.fact}`, ...gone.map((c) => `  ${c.state}: ${c.raw}`)].join(
      "\n",
    );
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
