// What recall has found as text, for people and for programs that ask over MCP.
import type { Kind } from "../../memory/recall/item.ts";
import { readableText, type SearchPlan, type Shown } from "../../memory/recall/result.ts";
import type { MatchPage, RecallHit } from "./query.ts";

/** `t3.2` in this session, `SESSION:t3.2` elsewhere; else the item's id. */
export function refOf(hit: Shown, here?: string): string {
  const { session } = hit.source;
  if (hit.ref === undefined) return hit.id;
  return session === undefined || session === here ? hit.ref : `${session}:${hit.ref}`;
}

/** Who said it, or what it is and from whom. */
export function labelOf(hit: Shown, reader: TextReader = "person"): string {
  const { kind, role, rewound } = hit;
  const name = NAMES[kind];
  if (kind === "fact") return role === "ended" ? "ended fact" : "fact";
  const label =
    name === undefined ? (kind === "turn" && role !== "" ? role : kind) : `${name} ${authorOf(hit, reader)}`;
  return rewound ? `${label}, rewound` : label;
}

/** Who reads a text: the user, or a model that the user is somebody else for. */
type TextReader = "person" | "model";

function authorOf({ role, source: { client } }: Shown, reader: TextReader): string {
  if (role === "user") return reader === "person" ? "from you" : "from the user";
  return `from ${client === undefined || client === "session" ? "the agent" : client}`;
}

/** From when to when a fact holds. */
export const periodOf = ({ time, until, role }: RecallHit): string =>
  [
    `since ${time?.slice(0, 10)}`,
    ...(until ? [`until ${until.slice(0, 10)}`] : role === "ended" ? ["ended"] : []),
  ].join(", ");

/** Where a hit can be found again, and from whom and when it is. */
function headOf(hit: RecallHit, reader: TextReader): string {
  const { kind, id, ref, source, time } = hit;
  if (kind === "fact") return `fact ${id.slice(0, 8)} (${periodOf(hit)})`;
  const name = NAMES[kind];
  const own = kind === "board" ? id.slice(id.lastIndexOf(":") + 1) : id;
  const where = name === undefined ? [source.session && `session ${source.session}`, ref ?? id] : [name, own];
  const about = [name === undefined ? labelOf(hit) : authorOf(hit, reader), time?.slice(0, 10)];
  const head = `${where.filter(Boolean).join(" ")} (${about.filter(Boolean).join(", ")})`;
  return source.file === undefined ? head : `${head}\n${source.client} ${source.file}:${source.line ?? ""}`;
}

/** What is kept in memory, in people's words. */
const NAMES: Partial<Record<Kind, string>> = { record: "memory", board: "board item" };

/** How to see more of what is kept in memory, or to be rid of it. `command`: how a command begins here. */
function waysTo(hits: readonly RecallHit[], command: string): string[] {
  const has = (kind: Kind): boolean => hits.some((hit) => hit.kind === kind);
  return [
    ...(has("record") ? [`Memories: ${command}memory show ID, ${command}memory delete ID`] : []),
    ...(has("fact") ? [`Facts: ${command}graph facts, ${command}graph timeline, ${command}graph forget ID`] : []),
    ...(has("board") ? [`Board items: ${command}board show NAME, ${command}board remove NAME`] : []),
  ];
}

export const snippetText = (hit: Pick<RecallHit, "snippets" | "kind">): string => readableText(hit, "\n");

type MatchTextOptions = {
  /** What was searched. */
  searched: string;
  explained?: boolean | undefined;
  /** How a command begins where the text is read. */
  command?: string;
  reader?: TextReader;
};

export function matchText(page: MatchPage, options: MatchTextOptions): string {
  const { searched, explained = false, command = "everlong ", reader = "person" } = options;
  const notes = page.partial ? [`Not everything was searched in time: ${page.skipped.join(", ")}.`] : [];
  if (page.hits.length === 0) return [`No matches in ${searched}.`, ...notes, ...pinsText(page)].join("\n");
  const rows = page.hits.map((h) => {
    const score = explained && h.parts ? [`${h.score?.toFixed(3)} = ${partsText(h.parts)}`] : [];
    return [headOf(h, reader), ...score, snippetText(h)].join("\n");
  });
  const loose = page.unmatched ?? [];
  const quotes = loose.map((phrase) => `"${phrase}"`).join(" and ");
  const first = loose.length > 0 ? [`No match contains ${quotes} word for word. These match the words:`] : [];
  const more = page.more > 0 ? [`${page.more} more`] : [];
  const next = page.cursor === undefined ? [] : [`For more: --cursor '${page.cursor}'`];
  const plan = explained && page.plan ? [planText(page.plan)] : [];
  const ways = waysTo(page.hits, command).join("\n");
  const ends = [...more, ...next, ...notes, ...pinsText(page), ...(ways ? [ways] : []), ...plan];
  return [...first, ...rows, ...ends].join("\n\n");
}

const pinsText = ({ pinned = [] }: MatchPage): string[] =>
  pinned.length === 0 ? [] : [["Pins here:", ...pinned.map(({ id, text }) => `- ${text} (${id})`)].join("\n")];

const partsText = (parts: Readonly<Record<string, number>>): string =>
  Object.entries(parts)
    .filter(([, value]) => value !== 0)
    .map(([name, value]) => `${name} ${value.toFixed(3)}`)
    .join(" + ");

function planText({
  terms,
  phrases,
  candidates,
  ranked,
  passages,
  scopes,
  embedder,
  milliseconds,
}: SearchPlan): string {
  const times = Object.entries(milliseconds).map(([phase, ms]) => `${phase} ${ms.toFixed(1)} ms`);
  return [
    `${passages} passages in scope (${scopes.map((s) => `@${s}`).join(" ")}), ${candidates} candidates, ${ranked} ranked`,
    `embedder: ${embedder ?? "none"}; ${times.join(", ")}`,
    ...(phrases.length > 0 ? [`phrases: ${phrases.join(" | ")}`] : []),
    ...terms.map((t) => `${t.channel} ${t.text}: in ${t.count}, rarity ${t.rarity.toFixed(2)}, ${t.use}`),
  ].join("\n");
}
